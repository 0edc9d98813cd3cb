import { ApiError } from '@latchkey/client';
import { PageExpired } from './api.ts';
import { type PageMessageId, t } from './messages/index.ts';
import { isLoadFailure, Unreachable } from './reach-server.ts';
import { WalletError } from './wallets/wallet-error.ts';

/** Browser errors about passkeys, by name. */
const passkeyRefusals: Readonly<Record<string, PageMessageId & `passkeyError.${string}`>> = {
  NotAllowedError: 'passkeyError.cancelledOrLate',
  AbortError: 'passkeyError.cancelled',
  InvalidStateError: 'passkeyError.exists',
  NotSupportedError: 'passkeyError.unsupported',
  SecurityError: 'passkeyError.address',
};

/** Returns the message for a failure. Only a `WalletError` comes from the wallet. */
export function describeError(error: unknown): string {
  if (error instanceof ApiError) return describeRefusal(error);
  if (error instanceof Unreachable || error instanceof WalletError) return error.message;
  if (error instanceof PageExpired) return t('error.pageExpired');
  if (error instanceof DOMException) return t(passkeyRefusals[error.name] ?? 'error.browser');
  if (isLoadFailure(error)) return t('error.notLoaded');
  return t('error.page');
}

/** What is the same whatever was asked. The server's own words say more, but in English. */
const refusals: Readonly<Record<string, PageMessageId & `error.${string}`>> = {
  RATE_LIMITED: 'error.rateLimited',
  UNAVAILABLE: 'error.unavailable',
  INTERNAL_ERROR: 'error.internal',
};

function describeRefusal({ code, message }: ApiError): string {
  const known = refusals[code ?? ''];
  return t.locale === 'en' || known === undefined ? withoutPath(message) : t(known);
}

/** "The body at /accountId must be …" is for developers; people read "The account id must be …", or the sentence that follows. */
function withoutPath(message: string): string {
  const [, path, refusal, rest = ''] =
    /^The (?:body|query|rule) at \/(\S*) (cannot be (?:used|applied)[.:] )?(.*)$/s.exec(message) ?? [];
  if (path === undefined) return message;
  return refusal === undefined ? `The ${inWords(path)} ${rest}` : rest.slice(0, 1).toUpperCase() + rest.slice(1);
}

function inWords(path: string): string {
  const field = path.split('/').findLast((step) => !/^\d+$/.test(step)) ?? '';
  return field.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase() || 'input';
}
