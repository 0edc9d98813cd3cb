import type { ErrorCode } from '@latchkey/kernel';

export const purposes = ['message', 'typed-data', 'hash'] as const;
/** How a text is to be understood when it is signed. */
export type Purpose = (typeof purposes)[number];

/** What is signed only when its user has approved it, always. */
export const approvedPurposes: readonly Purpose[] = ['typed-data', 'hash'];

/** What the platform asks of the signer. It names the user, and everything that will be signed. */
export type SignerRequest =
  | { kind: 'make-key'; userId: string; walletId: string }
  | {
      kind: 'sign';
      userId: string;
      address: string;
      purpose: Purpose;
      text: string;
      /** The application that asks in the user's name. */
      clientId: string | undefined;
      /** When the user proved a passkey or a one-time password for this very request. */
      steppedUpAt: Date | undefined;
      /** What the user was shown and approved by that proof, as 64 hexadecimal digits. */
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

/** Why the signer did not do it, in the words that its asker is answered with. */
export interface Refused {
  code: ErrorCode;
  message: string;
  retryAfterSeconds?: number;
  details?: unknown;
}

/** A request that has not been answered by then is not answered any more. */
export const requestTtlSeconds = 15;
/** How far the clocks of the platform and the signer may differ. */
export const clockSkewSeconds = 60;

export const requestTopic = 'signer.request';
export const answerTopic = 'signer.answer';

const hash = /^0x[0-9a-f]{64}$/i;
const bytes = /^\s*0x[0-9a-f]*\s*$/i;

/**
 * What a text is: a bare hash, typed data, or a message for people. `unreadable` are other bytes, which nobody can read
 * before they sign, and which a transaction could be.
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
