import { type Actor, AppError } from '@latchkey/kernel';
import type { Context, Settings } from '../../context.ts';
import type { SpendingBudget } from './settings.ts';

export function isOperator({ kind }: Actor): boolean {
  return kind === 'admin' || kind === 'system';
}

/** The budget of a coin. Throws when the operator has set none. */
export function getBudget({ spending }: Pick<Settings, 'spending'>, coin: string): SpendingBudget {
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
