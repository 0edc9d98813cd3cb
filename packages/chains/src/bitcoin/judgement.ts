/** What a look at one part of a signature came to; `unknown` is what BIP-322 calls inconclusive, and stays so. */
export type Judgement =
  | { kind: 'valid' }
  | { kind: 'invalid'; reason: string }
  | { kind: 'unknown'; reason: string; isLasting: true };

export const valid: Judgement = { kind: 'valid' };

export function invalid(reason: string): Judgement {
  return { kind: 'invalid', reason };
}

export function unknown(reason: string): Judgement {
  return { kind: 'unknown', reason, isLasting: true };
}
