import { AppError } from '@latchkey/kernel';

/** Any member may press it; it only gives them a link. */
const harmless = 'latchkey:join';

/**
 * Whether a message, a form or a response of an app contains one of this server’s own buttons. Under another author’s text
 * it would let members approve what they do not see.
 */
export function holdsOwnButton(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsOwnButton);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, item]) => (key === 'custom_id' ? isOwn(item) : holdsOwnButton(item)));
}

function isOwn(customId: unknown): boolean {
  return typeof customId === 'string' && customId !== harmless && /^latchkey(:|$)/.test(customId);
}

export function refuseOwnButtons(message: Record<string, unknown>): void {
  if (!holdsOwnButton(message)) return;
  throw new AppError('VALIDATION_FAILED', 'Custom ids that start with latchkey: are reserved for this server.', {
    details: [{ path: '/components', code: 'custom_id', message: 'must not use custom ids that start with latchkey:' }],
  });
}
