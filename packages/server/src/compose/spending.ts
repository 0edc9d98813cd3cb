import type { Settings } from '@latchkey/core';
import type { Config } from '../config.ts';

/** The chain of these wallets by default. */
export const ethereumId = 1;

type Limits = Config['spending']['near'];

/** Returns the budgets for what this server pays for others. A coin without both limits has no budget. */
export function spendingSettings({
  spending,
  near,
  registry,
  walletChainId = ethereumId,
}: Pick<Config, 'spending' | 'near' | 'registry' | 'walletChainId'>): NonNullable<Settings['spending']> {
  const budgets = [
    ...budgetOf(`near:${near.network}`, spending.near),
    ...budgetOf(`evm:${registry.chainId}`, spending.registry),
    ...budgetOf(`evm:${walletChainId}/wallets`, spending.wallets),
  ];
  return { spenders: spending.spenders, budgets: Object.fromEntries(budgets) };
}

function budgetOf(coin: string, { total, perCaller }: Limits) {
  return total === undefined || perCaller === undefined ? [] : [[coin, { total, perCaller }] as const];
}
