import { readInput } from '@latchkey/kernel';
import { base64, base64nopad } from '@scure/base';
import { decodeUtf8 } from '../decode-text.ts';
import { normalizeEvmAddress } from '../evm/address.ts';
import { evmSignatures } from '../evm/personal-sign.ts';

/** The claims of a Magic DID token. Times are in seconds. */
export interface DidTokenClaim {
  iat: number;
  /** When the token expires. */
  ext: number;
  nbf: number;
  /** `did:ethr:` and the address of the signer. */
  iss: string;
  sub: string;
  /** The Magic application that the user signed in to. */
  aud: string;
  /** The token's id. Store it until `ext`, so that each token is accepted once. */
  tid: string;
  /** The signature of the attachment. */
  add: string;
}

export interface DidTokenExpectation {
  now: Date;
  /** The address that the bearer claims. */
  address: string;
  /** The id of this installation's Magic application. If undefined, tokens of any application are accepted. */
  audience: string | undefined;
  /** What Magic was given to sign along. Magic signs `none` by default. */
  attachment: string;
}

export type DidTokenVerdict =
  | { kind: 'valid'; address: string; claim: DidTokenClaim }
  | { kind: 'invalid'; reason: string };

// Clocks of browsers and servers drift: a token must not start in the future of a server that is slightly behind.
const skewSeconds = 60;
const maxTokenLetters = 16 * 1024;
const textNames = ['iss', 'sub', 'aud', 'tid', 'add'] as const;
const timeNames = ['iat', 'ext', 'nbf'] as const;

function isClaim(value: unknown): value is DidTokenClaim {
  if (typeof value !== 'object' || value === null) return false;
  const claim: Record<string, unknown> = { ...value };
  return (
    textNames.every((name) => typeof claim[name] === 'string') &&
    timeNames.every((name) => Number.isFinite(claim[name]))
  );
}

/** Splits a token into its signature and the signed text. Magic may omit the base64 padding. */
function parseToken(token: string): [proof: string, claim: string] | undefined {
  const coder = token.length % 4 === 0 ? base64 : base64nopad;
  const bytes = readInput(() => coder.decode(token));
  const text = bytes && decodeUtf8(bytes);
  const parts: unknown = text && readInput(() => JSON.parse(text));
  if (!Array.isArray(parts) || parts.length !== 2 || JSON.stringify(parts) !== text) return undefined;
  const [proof, claim]: unknown[] = parts;
  return typeof proof === 'string' && typeof claim === 'string' ? [proof, claim] : undefined;
}

function parseClaim(text: string): DidTokenClaim | undefined {
  // A lone surrogate is encoded like another character, so it could replace that character in a signed text.
  if (!text.isWellFormed()) return undefined;
  const claim: unknown = readInput(() => JSON.parse(text));
  return isClaim(claim) ? claim : undefined;
}

const invalid = (reason: string): DidTokenVerdict => ({ kind: 'invalid', reason });

/** Verifies a Magic DID token: both signatures, the address, the time, the application and the attachment. */
export function verifyDidToken(token: unknown, expected: DidTokenExpectation): DidTokenVerdict {
  if (typeof token !== 'string' || token.length > maxTokenLetters) return invalid('The token is not a string.');
  const [proof, claimText] = parseToken(token) ?? [];
  const claim = parseClaim(claimText ?? '');
  if (proof === undefined || claimText === undefined || claim === undefined) return invalid('The token is malformed.');

  const address = normalizeEvmAddress(expected.address);
  if (address === undefined || claim.iss !== `did:ethr:${address}`) return invalid('The token is for another address.');
  const now = expected.now.getTime() / 1000;
  if (!(now < claim.ext)) return invalid('The token has expired.');
  if (!(now >= claim.nbf - skewSeconds)) return invalid('The token is not valid yet.');
  if (expected.audience !== undefined && claim.aud !== expected.audience) {
    return invalid('The token was issued for another application.');
  }
  if (evmSignatures.recoverPersonalSign(claimText, proof) !== address)
    return invalid('The claim is not signed by the address.');
  if (evmSignatures.recoverPersonalSign(expected.attachment, claim.add) !== address) {
    return invalid('The attachment is not signed by the address.');
  }
  return { kind: 'valid', address, claim };
}
