import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@latchkey/kernel';
import type { PkpClaimResponse } from './hosted-wallet.ts';
import { type MakeContext, makeWallet } from './make-wallet.ts';
import { getPerson, getTelegramPerson } from './owner.ts';
import { findWallet, type HostedWalletRow } from './queries.ts';
import { toPkp } from './reads.ts';

const defaultPatienceMs = 10_000;
const pollMs = 100;

export async function claimUserPkp(ctx: MakeContext): Promise<PkpClaimResponse> {
  const wallet = await makeWallet(ctx, getPerson(ctx.actor));
  const txHash = await waitForHash(ctx, wallet);
  return { pkp: await toPkp(ctx, wallet), txHash };
}

/** Says nothing of the chain, and so does not wait for it: the registration is on its way when this returns. */
export async function claimTelegramPkp(ctx: MakeContext): Promise<void> {
  await makeWallet(ctx, getTelegramPerson(ctx.actor, 'user:pkp:claim'));
}

async function waitForHash(ctx: MakeContext, wallet: HostedWalletRow): Promise<string> {
  const tooLate = AbortSignal.timeout(ctx.settings.hostedWallets?.chainPatienceMs ?? defaultPatienceMs);
  for (let row: HostedWalletRow | undefined = wallet; !tooLate.aborted; ) {
    if (row === undefined)
      throw new AppError('STATE_CONFLICT', 'The account was erased while its wallet was being made.');
    if (row.tx_hash !== null) return row.tx_hash;
    await delay(pollMs, undefined, { signal: tooLate }).catch(() => undefined);
    row = await ctx.tx((tx) => findWallet(tx, wallet.user_id));
  }
  throw new AppError(
    'UNAVAILABLE',
    'The wallet is made, but the chain has not taken its registration yet. Ask again shortly: it goes on by itself, and nothing is made twice.',
    { retryAfterSeconds: 5 },
  );
}
