import { type Sql, sql, type Tx } from '@latchkey/db';
import { type Actor, AppError, addDays } from '@latchkey/kernel';
import type { Context, Settings } from '../../shared/context.ts';
import type { SpendingBudget } from '../../shared/settings.ts';
import { lockCoin, putSpending, type SpendingRow, sumSpendings } from './queries.ts';

const retryAfterSeconds = 60 * 60;

/** An amount to pay. The same `reference` counts once, with the larger amount. */
export type Spending = Pick<SpendingRow, 'coin' | 'reference' | 'caller_id'> & { amount: bigint };

type SpendingContext = Pick<Context, 'clock' | 'settings'>;

/**
 * Reserves an amount in the budgets, in the transaction that decides to send it. Throws RATE_LIMITED if one of them is
 * used up.
 */
export async function reserveSpending(ctx: SpendingContext, tx: Tx, spending: Spending): Promise<void> {
  await requireBudget(ctx, tx, spending);
  await putSpending(tx, { ...spending, amount: String(spending.amount), created_at: ctx.clock() });
}

/** Throws if the amount exceeds the budgets. Locks them until the end of the transaction. */
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

/** Returns the budget of a coin. Throws if the operator has set none. */
function getBudget({ spending }: Pick<Settings, 'spending'>, coin: string): SpendingBudget {
  const budget = spending?.budgets[coin];
  if (budget !== undefined) return budget;
  const prefix = prefixOf(coin);
  throw new AppError(
    'ROLE_NOT_ALLOWED',
    `This server does not pay for this on ${coin}. Its operator can set ${prefix}_SPEND_PER_DAY, ${prefix}_SPEND_PER_CALLER and LATCHKEY_SPENDERS.`,
  );
}

/** Returns the prefix of the variables of a coin's budget. */
function prefixOf(coin: string): string {
  if (coin.startsWith('near:')) return 'LATCHKEY_NEAR';
  return coin.endsWith('/wallets') ? 'LATCHKEY_WALLET' : 'LATCHKEY_REGISTRY';
}

/** Throws unless the operator lets the caller spend this server's funds in a coin. The operator always can. */
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

export interface CallerSpending {
  coin: string;
  callerId: string;
  /** In the smallest unit of the coin. */
  amount: bigint;
}

/** Lists what was paid or reserved since then, by coin and caller, largest amounts first. */
export async function listSpendings(db: Sql, since: Date): Promise<CallerSpending[]> {
  const { rows } = await sql<{ coin: string; caller_id: string; amount: string }>`
    select coin, caller_id, sum(amount)::text as amount from spendings
    where created_at > ${since} group by coin, caller_id order by coin, sum(amount) desc, caller_id`.execute(db);
  return rows.map(({ coin, caller_id, amount }) => ({ coin, callerId: caller_id, amount: BigInt(amount) }));
}
