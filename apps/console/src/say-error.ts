import { ApiError } from '@latchkey/client';
import { PageExpired } from './api.ts';

/** Codes of EIP-1193 and of JSON-RPC that wallets answer with. */
const walletRefusals: Readonly<Record<number, string>> = {
  4001: 'You declined in your wallet. Nothing was signed.',
  4100: 'Your wallet did not let this page use the account. Unlock it and try again.',
  4900: 'Your wallet is not connected to its network. Open it and try again.',
  [-32002]: 'Your wallet is already asking you something. Open it and answer there first.',
};

/** What browsers say about passkeys, by the name of the error. */
const passkeyRefusals: Readonly<Record<string, string>> = {
  NotAllowedError: 'That was cancelled or took too long. Nothing was changed.',
  AbortError: 'That was cancelled. Nothing was changed.',
  InvalidStateError: 'This device already has a passkey for this account.',
  NotSupportedError: 'This device cannot create the kind of passkey needed here.',
  SecurityError: 'Passkeys do not work at this address. Open the site under its usual name.',
};

/** What to tell the person about a failure, whatever it came from: our server, their wallet, the browser. */
export function describeError(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  if (error instanceof PageExpired) return 'This page has expired. Go back to where you came from and start again.';
  if (error instanceof DOMException) return passkeyRefusals[error.name] ?? 'The browser could not do this.';
  const code = isCoded(error) ? walletRefusals[error.code] : undefined;
  if (code !== undefined) return code;
  // What fetch throws; its text is for developers and differs by browser.
  if (error instanceof TypeError) return 'The server could not be reached. Check your connection and try again.';
  const message = messageOf(error);
  if (/reject|denied|declin|cancel/i.test(message)) return 'You declined in your wallet. Nothing was signed.';
  return message === '' ? 'Something went wrong. Try again.' : `Your wallet says: ${message}`;
}

function isCoded(error: unknown): error is { code: number } {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'number';
}

function messageOf(error: unknown): string {
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : '';
  return typeof message === 'string' ? message.slice(0, 300) : '';
}
