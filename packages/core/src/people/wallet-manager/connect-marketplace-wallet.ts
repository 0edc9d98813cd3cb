import { AppError, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { answer, keepProven } from './answers.ts';
import { connectFor } from './connect-wallet.ts';
import type { WalletConnectionResponse } from './connection.ts';
import { type MarketplaceWalletRequest, readMarketAccount } from './marketplace.ts';
import { findPending, takePending } from './pending.ts';
import { refusedField } from './read-claim.ts';
import { requestUser } from './request-user.ts';

/** Connects the account of a marketplace whose public profile shows the code, or which signs. */
export async function connectMarketplaceWallet(
  ctx: Context,
  { body }: { body: MarketplaceWalletRequest },
): Promise<WalletConnectionResponse> {
  const { name, market, address } = readMarketAccount(ctx, body);
  if (body.proof)
    return connectFor(await requestUser(ctx, body.id), { address, signature: body.proof, walletType: name });
  if (!body.magicCode) throw refusedField('/magicCode', 'must be the code that the profile shows');
  const pending = await findPending(ctx, 'magic-code', body.magicCode);
  const isMeant = pending?.content.marketplace === name && pending.content.address === address;
  if (pending === undefined || !isMeant || !(await isFor(ctx, body.id, pending.user)))
    return answer('CHALLENGE_UNKNOWN', { address });
  const profile = await market.readProfile(address);
  if (profile.kind === 'unknown')
    throw new AppError('UNAVAILABLE', `${profile.reason} Try again shortly; the code stays good.`, {
      retryAfterSeconds: 5,
    });
  if (profile.kind === 'none' || !profile.text.includes(body.magicCode)) return answer('CODE_NOT_FOUND', { address });
  const taken = await takePending(ctx, 'magic-code', body.magicCode);
  if (taken === undefined) return answer('CHALLENGE_UNKNOWN', { address });
  return keepProven(taken.user, { namespace: 'evm', address, contractChain: null, walletType: name });
}

/** A code is for the user who asked for it. Whoever reads it in the profile cannot connect the account to another user. */
async function isFor(ctx: Context, token: string | undefined, owner: Context): Promise<boolean> {
  if (token === undefined && ctx.actor.kind === 'anonymous') return true;
  return principalId((await requestUser(ctx, token)).actor) === principalId(owner.actor);
}
