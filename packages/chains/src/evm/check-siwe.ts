import { parseDateTime } from './rfc3339.ts';
import type { SiweFields } from './siwe-fields.ts';

/** What a sign-in message must match. */
export interface SiweExpectation {
  /** The host that the user visited: a message for another site must not sign in here. */
  domain: string;
  /** The nonce that this server issued. Consume it before or together with this check. */
  nonce: string;
  now: Date;
  address?: string | undefined;
  chainId?: number | undefined;
}

/** Returns why a sign-in message is refused, or undefined if its fields match and it is within its validity period. */
export function findSiweMismatch(fields: SiweFields, expected: SiweExpectation): string | undefined {
  const now = expected.now.getTime();
  if (fields.domain !== expected.domain) return 'The message is for another domain.';
  if (fields.nonce !== expected.nonce) return 'The message has a different nonce.';
  if (expected.address !== undefined && fields.address !== expected.address)
    return 'The message is for another address.';
  if (expected.chainId !== undefined && fields.chainId !== expected.chainId) return 'The message is for another chain.';
  const expiresAt = parseDateTime(fields.expirationTime ?? '');
  if (expiresAt !== undefined && !(now < expiresAt)) return 'The message has expired.';
  const startsAt = parseDateTime(fields.notBefore ?? '');
  if (startsAt !== undefined && !(now >= startsAt)) return 'The message is not valid yet.';
  return undefined;
}
