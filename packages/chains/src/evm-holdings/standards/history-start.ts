import type { Reading } from '../reading.ts';

/** Returns where a log search begins: at the first block, unless the question gives the block of the contract's deployment. */
export function historyStart({ question }: Pick<Reading, 'question'>): bigint {
  const given = question.details?.fromBlock ?? '';
  return /^\d{1,15}$/.test(given) ? BigInt(given) : 0n;
}
