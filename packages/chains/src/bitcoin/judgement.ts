/** What a look at one part of a signature came to; `unknown` is what BIP-322 calls inconclusive. */
export type Judgement = { kind: 'valid' } | { kind: 'invalid'; reason: string } | { kind: 'unknown'; reason: string };

export const valid: Judgement = { kind: 'valid' };

export function invalid(reason: string): Judgement {
  return { kind: 'invalid', reason };
}

export function unknown(reason: string): Judgement {
  return { kind: 'unknown', reason };
}
