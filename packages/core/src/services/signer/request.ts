import type { ErrorCode } from '@latchkey/kernel';

export const purposes = ['message', 'typed-data', 'hash'] as const;
/** How a text is interpreted when it is signed. */
export type Purpose = (typeof purposes)[number];

/** Signed only with the user's approval, always. */
export const approvedPurposes: readonly Purpose[] = ['typed-data', 'hash'];

/** A request of the platform to the signer. It contains the user, and everything that will be signed. */
export type SignerRequest =
  | { kind: 'make-key'; userId: string; walletId: string }
  | {
      kind: 'sign';
      userId: string;
      address: string;
      purpose: Purpose;
      text: string;
      /** The application that makes the request on the user's behalf. */
      clientId: string | undefined;
      /** When the user proved a passkey or a one-time password for this request. */
      steppedUpAt: Date | undefined;
      /** The digest that the user approved with that proof, as 64 hexadecimal digits. */
      approvedDigest: string | undefined;
    };

export interface KeyMade {
  address: string;
  publicKey: string;
  tokenId: string;
}

export interface Signed {
  signature: string;
}

/** Why the signer refused, in the words for the caller. */
export interface Refused {
  code: ErrorCode;
  message: string;
  retryAfterSeconds?: number;
  details?: unknown;
}

/** A request that has not been answered by then expires. */
export const requestTtlSeconds = 15;
/** How far the clocks of the platform and the signer may differ. */
export const clockSkewSeconds = 60;

export const requestTopic = 'signer.request';
export const answerTopic = 'signer.answer';

const hash = /^0x[0-9a-f]{64}$/i;
const bytes = /^\s*0x[0-9a-f]*\s*$/i;

/**
 * Classifies a text: a bare hash, typed data, or a readable message. `unreadable` are other bytes, which no user can
 * read before signing, and which could be a transaction.
 */
export function purposeOf(text: string): Purpose | 'unreadable' {
  if (hash.test(text)) return 'hash';
  if (bytes.test(text)) return 'unreadable';
  return isTypedData(text) ? 'typed-data' : 'message';
}

function isTypedData(text: string): boolean {
  if (!/^\s*\{/.test(text)) return false;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'types' in value && 'primaryType' in value;
  } catch {
    return false;
  }
}
