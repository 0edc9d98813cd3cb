import { principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { findAccountOf } from '../wallets/index.ts';
import { namespace, toXAccount, type XAccount } from './x-account.ts';

export async function getXAccount(ctx: Pick<Context, 'actor' | 'tx' | 'x'>): Promise<XAccount> {
  return toXAccount(ctx, await ctx.tx((tx) => findAccountOf(tx, principalId(ctx.actor), namespace)));
}
