/** The result of verifying one part of a signature. `unknown` is what BIP-322 calls inconclusive, and is final. */
export type Evaluation =
  | { kind: 'valid' }
  | { kind: 'invalid'; reason: string }
  | { kind: 'unknown'; reason: string; isLasting: true };

export const valid: Evaluation = { kind: 'valid' };

export function invalid(reason: string): Evaluation {
  return { kind: 'invalid', reason };
}

export function unknown(reason: string): Evaluation {
  return { kind: 'unknown', reason, isLasting: true };
}
