import { ApiError } from '@latchkey/client';
import { PageExpired } from './api.ts';
import { isLoadFailure, Unreachable } from './reach-server.ts';
import { WalletError } from './wallets/wallet-error.ts';

/** Browser errors about passkeys, by name. */
const passkeyRefusals: Readonly<Record<string, string>> = {
  NotAllowedError: 'That was cancelled or took too long. Nothing was changed.',
  AbortError: 'That was cancelled. Nothing was changed.',
  InvalidStateError: 'This device already has a passkey for this account.',
  NotSupportedError: 'This device cannot create the kind of passkey needed here.',
  SecurityError: 'Passkeys do not work at this address. Open the site under its usual name.',
};

/** Returns the message for a failure. Only a `WalletError` comes from the wallet. */
export function describeError(error: unknown): string {
  if (error instanceof ApiError || error instanceof Unreachable || error instanceof WalletError) return error.message;
  if (error instanceof PageExpired) return 'This page has expired. Go back to where you came from and start again.';
  if (error instanceof DOMException) return passkeyRefusals[error.name] ?? 'The browser could not do this.';
  if (isLoadFailure(error))
    return 'A part of this page could not be loaded. The server may be restarting, or it has a newer version. Reload the page.';
  return 'Something went wrong on this page. Reload it and try again.';
}
