import { AppError, notFound } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { findKnownToken } from '../known-tokens/index.ts';
import { chainIdOf } from './networks.ts';
import { deleteToken, hideToken, insertTokens, setIcon } from './token-queries.ts';

type ListContext = Pick<Context, 'actor' | 'clock' | 'db'>;

export interface ListedToken {
  /** The chain id, or a name of the chain. */
  network: string;
  address: string;
  /** The URL of a picture. */
  icon?: string;
}

/** Adds a token to GET /evm/{network}/tokens although no rule names it. For the operator. */
export async function listToken(ctx: ListContext, token: ListedToken): Promise<void> {
  const { chainId, address } = check(ctx, token);
  await ctx.db.transaction('system', async (tx) => {
    await insertTokens(tx, [{ chain_id: chainId, address, expected_standard: null }], ctx.clock());
    if (token.icon !== undefined) await setIcon(tx, chainId, address, token.icon);
  });
}

/** Removes a token from the list; a rule created later adds it again. For the operator. */
export async function unlistToken(ctx: ListContext, token: ListedToken): Promise<void> {
  const { chainId, address } = check(ctx, token);
  const isKnown = findKnownToken(`evm:${chainId}`, address) !== undefined;
  await ctx.db.transaction('system', async (tx) => {
    if (isKnown) await hideToken(tx, chainId, address, ctx.clock());
    if (!(await deleteToken(tx, chainId, address)) && !isKnown) throw notFound('token');
  });
}

function check(ctx: ListContext, { network, address }: ListedToken): { chainId: number; address: string } {
  if (ctx.actor.kind !== 'admin' && ctx.actor.kind !== 'system')
    throw new AppError('ROLE_NOT_ALLOWED', 'Only the operator can list tokens.');
  const chainId = chainIdOf(network);
  if (chainId === undefined) throw notFound('network');
  if (!/^0x[0-9a-fA-F]{40}$/.test(address))
    throw new AppError('INVALID_PARAMETER_VALUE', 'A token address is 0x followed by 40 hexadecimal digits.');
  return { chainId, address: address.toLowerCase() };
}
