import { AppError, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import type { SecretContext } from '../../machinery/kept-secrets/index.ts';
import { isMember } from './queries.ts';
import { configured, type GetQuoteResponse, hashUserId, signerKey } from './waiting-list.ts';

type QuoteContext = SecretContext & Pick<Context, 'actor' | 'settings' | 'tx' | 'waitingList'>;

/** Offers the caller a place, in words that the contract of the chain believes. */
export async function getQuote(
  ctx: QuoteContext,
  { chainId }: { chainId?: number | undefined },
): Promise<GetQuoteResponse> {
  const { contracts, priceWei, quoteTtlSeconds } = configured(ctx);
  const contract = chainId === undefined ? contracts[0] : contracts.find((one) => one.chainId === chainId);
  if (contract === undefined)
    throw new AppError('INVALID_PARAMETER_VALUE', 'The waiting list is not on this chain; see its metadata.');
  const userId = principalId(ctx.actor);
  if (await ctx.tx((tx) => isMember(tx, userId)))
    throw new AppError('STATE_CONFLICT', 'You are on the waiting list already.');
  const terms = {
    chainId: contract.chainId,
    contractAddress: contract.address,
    userIdHash: await hashUserId(ctx, userId),
    priceWei,
    expiresAtSeconds: Math.floor(ctx.clock().getTime() / 1000) + quoteTtlSeconds,
  };
  return {
    userIdHash: terms.userIdHash,
    price: priceWei.toString(),
    expiresAt: terms.expiresAtSeconds,
    signature: await ctx.waitingList.signQuote(await signerKey(ctx), terms),
    chainId: terms.chainId,
    contractAddress: terms.contractAddress,
  };
}
