import type { Tx } from '@latchkey/db';
import { type Actor, AppError, addDays } from '@latchkey/kernel';
import type { Context, Settings } from '../../shared/context.ts';
import type { SpendingBudget } from '../../shared/settings.ts';
import { lockCoin, putSpending, type SpendingRow, sumSpendings } from './queries.ts';

const retryAfterSeconds = 60 * 60;

/** What is to be paid. The same `reference` counts once, with the larger amount. */
export type Spending = Pick<SpendingRow, 'coin' | 'reference' | 'caller_id'> & { amount: bigint };

type SpendingContext = Pick<Context, 'clock' | 'settings'>;

/**
 * Takes an amount from the budgets, in the transaction in which it is decided to send it. Throws RATE_LIMITED when
 * nothing is left of one of them.
 */
export async function reserveSpending(ctx: SpendingContext, tx: Tx, spending: Spending): Promise<void> {
  await requireBudget(ctx, tx, spending);
  await putSpending(tx, { ...spending, amount: String(spending.amount), created_at: ctx.clock() });
}

/** Throws when the budgets have no room for the amount. Locks them until the end of the transaction. */
export async function requireBudget(
  ctx: SpendingContext,
  tx: Tx,
  { coin, reference, caller_id, amount }: Spending,
): Promise<void> {
  const { total, perCaller } = getBudget(ctx.settings, coin);
  await lockCoin(tx, coin);
  const since = addDays(ctx.clock(), -1);
  const used = await sumSpendings(tx, { coin, reference, caller_id }, since);
  if (used.total + amount > total) throw usedUp(coin, 'for all callers');
  if (used.ofCaller + amount > perCaller) throw usedUp(coin, 'for each caller');
}

function usedUp(coin: string, what: string): AppError {
  return new AppError('RATE_LIMITED', `The 24-hour budget ${what} on ${coin} is used up. Try again later.`, {
    retryAfterSeconds,
  });
}

export function isOperator({ kind }: Actor): boolean {
  return kind === 'admin' || kind === 'system';
}

/** The budget of a coin. Throws when the operator has set none. */
function getBudget({ spending }: Pick<Settings, 'spending'>, coin: string): SpendingBudget {
  const budget = spending?.budgets[coin];
  if (budget !== undefined) return budget;
  const prefix = prefixOf(coin);
  throw new AppError(
    'ROLE_NOT_ALLOWED',
    `This server does not pay for this on ${coin}. Its operator can set ${prefix}_SPEND_PER_DAY, ${prefix}_SPEND_PER_CALLER and LATCHKEY_SPENDERS.`,
  );
}

/** How the variables of a coin's budget begin. */
function prefixOf(coin: string): string {
  if (coin.startsWith('near:')) return 'LATCHKEY_NEAR';
  return coin.endsWith('/wallets') ? 'LATCHKEY_WALLET' : 'LATCHKEY_REGISTRY';
}

/** Throws unless the operator lets the caller have this server pay in a coin. The operator needs no leave. */
export function requireSpender({ actor, settings }: Pick<Context, 'actor' | 'settings'>, coin: string): void {
  if (isOperator(actor)) return;
  getBudget(settings, coin);
  const { spenders = [] } = settings.spending ?? {};
  const names = [
    ...(actor.kind === 'user' ? ['people'] : []),
    ...(actor.client !== undefined ? ['apps', actor.client.id] : []),
  ];
  if (names.some((name) => spenders.includes(name))) return;
  throw new AppError(
    'ROLE_NOT_ALLOWED',
    `This server does not pay for this on ${coin} for you. Its operator can add ${actor.client?.id ?? 'people'} to LATCHKEY_SPENDERS.`,
  );
}
