import { AppError } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { walletsOfUsers } from '../../people/wallets/index.ts';
import { openAccount, UnreadableAccount } from '../judging/index.ts';
import { assetLeavesOf, type Rule, type RuleWallet } from '../rules/index.ts';

/**
 * The wallets that an account of a request stands for. Without an account the caller's own linked wallets count.
 */
export async function walletsOfAccount(
  ctx: Pick<Context, 'actor' | 'db' | 'names' | 'wallets'>,
  account: string | undefined,
  rules: readonly Rule[],
): Promise<readonly RuleWallet[]> {
  if (account !== undefined && account !== '') {
    const chains = rules.flatMap(assetLeavesOf).map(({ asset }) => asset.chain);
    return openAccount(ctx, account, chains).catch((error: unknown) => {
      throw error instanceof UnreadableAccount ? refused(error.message) : error;
    });
  }
  if (ctx.actor.kind !== 'user') throw refused('Name the account to check.');
  return (await walletsOfUsers(ctx.db.system, [ctx.actor.userId])).get(ctx.actor.userId) ?? [];
}

function refused(message: string): AppError {
  return new AppError('VALIDATION_FAILED', `The body at /account cannot be used. ${message}`, {
    details: [{ path: '/account', code: 'account', message }],
  });
}
