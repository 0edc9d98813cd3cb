import type { Settings } from '@latchkey/core';
import type { Config } from '../config.ts';

type Limits = Config['spending']['near'];

/** What this server pays for others. A coin without both limits has no budget. */
export function spendingSettings({
  spending,
  near,
  registry,
}: Pick<Config, 'spending' | 'near' | 'registry'>): NonNullable<Settings['spending']> {
  const budgets = [
    ...budgetOf(`near:${near.network}`, spending.near),
    ...budgetOf(`evm:${registry.chainId}`, spending.registry),
  ];
  return { spenders: spending.spenders, budgets: Object.fromEntries(budgets) };
}

function budgetOf(coin: string, { total, perCaller }: Limits) {
  return total === undefined || perCaller === undefined ? [] : [[coin, { total, perCaller }] as const];
}
