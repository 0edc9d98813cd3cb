import { hashSecret } from '@latchkey/db';
import { notFound } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { findLinkChallenge } from '../wallets/index.ts';
import { answer, keepProven } from './answers.ts';
import { askToSign } from './ask-to-sign.ts';
import type { WalletConnectionResponse } from './connection.ts';
import { findPending, takePending } from './pending.ts';
import { readClaim, refusedField } from './read-claim.ts';
import { userOfChallenge } from './request-user.ts';

export interface Resume {
  proxyAddress?: string | undefined;
  state?: string | undefined;
  address?: string | undefined;
}

/** Goes on where an earlier answer stopped: shows its message again, or keeps the proxy that was chosen. */
export async function resumeWalletConnection(
  ctx: Context,
  { body }: { body: Resume },
): Promise<WalletConnectionResponse> {
  if (!body.state) throw refusedField('/state', 'must be the state of an earlier answer');
  return (await resumeSigning(ctx, body.state, body)) ?? (await resumeChoosing(ctx, body.state, body));
}

async function resumeSigning(ctx: Context, state: string, body: Resume): Promise<WalletConnectionResponse | undefined> {
  const challenge = await findLinkChallenge(ctx.db.system, hashSecret(state), ctx.clock());
  const user = await userOfChallenge(ctx, state);
  if (challenge === undefined || user === undefined) return undefined;
  const { message, address } = challenge;
  if (address === null && body.address)
    return askToSign(user, readClaim(user, { address: body.address }), {
      walletType: challenge.wallet_type ?? undefined,
    });
  return answer('SIGNATURE_REQUIRED', { message, state, ...(address !== null && { address }) });
}

async function resumeChoosing(ctx: Context, state: string, body: Resume): Promise<WalletConnectionResponse> {
  const found = await findPending(ctx, 'proxy', state);
  if (found === undefined) throw notFound('wallet connection');
  const { links, proxyType, signer } = found.content;
  const wanted = (body.proxyAddress ?? body.address)?.toLowerCase();
  if (wanted === undefined) {
    const proxyAddresses = links.map(({ address }) => address);
    return answer('PROXY_REQUIRED', { address: signer, state, proxies: [{ proxyAddresses, proxyType }] });
  }
  const link = links.find(({ address }) => address.toLowerCase() === wanted);
  if (link === undefined) throw refusedField('/proxyAddress', 'must be one of the proxies that were offered');
  const taken = await takePending(ctx, 'proxy', state);
  if (taken === undefined) throw notFound('wallet connection');
  return keepProven(taken.user, link);
}
