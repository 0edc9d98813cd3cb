import type { Reading } from '../reading.ts';

/** Where a search through logs begins: at the first block, unless the question knows when the contract began. */
export function historyStart({ question }: Pick<Reading, 'question'>): bigint {
  const given = question.details?.fromBlock ?? '';
  return /^\d{1,15}$/.test(given) ? BigInt(given) : 0n;
}
