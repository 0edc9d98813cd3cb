import { AppError } from '@latchkey/kernel';

/** Everybody may press it, and it does nothing but give a link to whoever does. */
const harmless = 'latchkey:join';

/**
 * Whether a message, a form or an answer of others holds a button of this server’s own. Under somebody else’s words it
 * would let people approve what they do not see.
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
