import type { Near, NearStep } from '../../ports/index.ts';
import { releaseSpending } from '../../services/spending/index.ts';
import type { Context } from '../../shared/context.ts';
import type { NearTransactionRow } from './queries.ts';

// 100,000,000 yoctoNEAR per gas, the minimum price of networks.
const yoctoPerTeraGas = 100_000_000_000_000_000_000n;
const teraGasOfTransaction = 10n;

export function coinOf({ network }: Pick<Near, 'network'>): string {
  return `near:${network}`;
}

/**
 * Returns the most that this server's account pays for a transaction, in yoctoNEAR: what it transfers, and all of the
 * gas.
 */
export function costOf(steps: readonly NearStep[]): bigint {
  const handedOver = steps.reduce((sum, step) => sum + ('yocto' in step ? BigInt(step.yocto) : 0n), 0n);
  const teraGas = steps.reduce((sum, step) => sum + BigInt('teraGas' in step ? step.teraGas : 0), teraGasOfTransaction);
  return handedOver + teraGas * yoctoPerTeraGas;
}

/** Refunds a transaction that the chain will certainly never execute. */
export function giveBack(
  { db }: Pick<Context, 'db'>,
  row: Pick<NearTransactionRow, 'network' | 'hash'>,
): Promise<void> {
  return releaseSpending(db.system, { coin: coinOf(row), reference: row.hash });
}

/** The errors of requests that sent nothing, so that their record can be deleted. */
export const sentNothing: readonly unknown[] = ['STATE_CONFLICT', 'RATE_LIMITED', 'ROLE_NOT_ALLOWED'];
