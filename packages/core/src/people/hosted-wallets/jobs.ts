import { enqueue } from '@latchkey/db';
import { exponentialRetry, job } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { resetRegistrations } from './queries.ts';
import { confirmWallet, registerWallet } from './register-wallet.ts';
import { confirmation, registration } from './registration.ts';

const retry = exponentialRetry(60, 1, 3_600);

const register = job(
  registration.name,
  { payload: registration.payload, retry, timeoutSeconds: 60 },
  (ctx: Context, { userId }) => registerWallet(ctx, userId),
);

const confirm = job(
  confirmation.name,
  { payload: confirmation.payload, retry, timeoutSeconds: 60 },
  (ctx: Context, { userId }, { attempt }) => confirmWallet(ctx, userId, attempt),
);

export const hostedWalletJobs = [register, confirm] as const;

/** Registers all wallets of a chain that has forgotten them, as the development chain does with every start. */
export async function registerAgain(ctx: Pick<Context, 'db'>, chainId: number): Promise<void> {
  await ctx.db.transaction('system', async (tx) => {
    for (const wallet of await resetRegistrations(tx, chainId))
      await enqueue(tx, registration, { userId: wallet.user_id }, registration.options(wallet));
  });
}
