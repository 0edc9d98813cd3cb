import type { Near, NearStep } from '../../ports/index.ts';
import { releaseSpending } from '../../services/spending/index.ts';
import type { Context } from '../../shared/context.ts';
import type { NearTransactionRow } from './queries.ts';

// 100,000,000 yoctoNEAR for each gas, the price that networks fall back to.
const yoctoPerTeraGas = 100_000_000_000_000_000_000n;
const teraGasOfTransaction = 10n;

export function coinOf({ network }: Pick<Near, 'network'>): string {
  return `near:${network}`;
}

/** The most that the account of this server pays for a transaction, in yoctoNEAR: what it hands over, and all of the gas. */
export function costOf(steps: readonly NearStep[]): bigint {
  const handedOver = steps.reduce((sum, step) => sum + ('yocto' in step ? BigInt(step.yocto) : 0n), 0n);
  const teraGas = steps.reduce((sum, step) => sum + BigInt('teraGas' in step ? step.teraGas : 0), teraGasOfTransaction);
  return handedOver + teraGas * yoctoPerTeraGas;
}

/** Takes a transaction out of what was spent that the chain is certain never to execute. */
export function giveBack(
  { db }: Pick<Context, 'db'>,
  row: Pick<NearTransactionRow, 'network' | 'hash'>,
): Promise<void> {
  return releaseSpending(db.system, { coin: coinOf(row), reference: row.hash });
}

/** The error of a request that sent nothing, so that its record can be deleted. */
export const sentNothing: readonly unknown[] = ['STATE_CONFLICT', 'RATE_LIMITED', 'ROLE_NOT_ALLOWED'];
