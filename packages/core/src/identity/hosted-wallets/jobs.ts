import { enqueue } from '@latchkey/db';
import { exponentialRetry, job } from '@latchkey/kernel';
import { type PreparedTransaction, RegistryRefusal, type WalletRegistry } from '../../ports/index.ts';
import { releaseSpending, reserveSpending } from '../../services/spending/index.ts';
import type { Context } from '../../shared/context.ts';
import { coinOf, confirmation, ownerHash, type RegistrarContext, registrarKey, registration } from './hosted-wallet.ts';
import {
  findWallet,
  type HostedWalletRow,
  resetRegistrations,
  setPrepared,
  setRegistered,
  setSent,
} from './queries.ts';

type RegisterContext = RegistrarContext & Pick<Context, 'log' | 'settings'>;

/** Thrown while the transaction is not final, so that the job is retried later. */
class StillWaiting extends Error {
  override name = 'StillWaiting';
}

/**
 * Sends the transaction that registers a wallet. It can be interrupted anywhere and run again: it queries the chain
 * first, and never sends a second transaction while one may still be pending.
 */
async function registerWallet(ctx: RegisterContext, userId: string): Promise<void> {
  const open = await openRegistration(ctx, userId);
  if (open === undefined) return;
  const { registry, wallet, address, expected } = open;
  const earlier = wallet.prepared_hash;
  if (earlier !== null && (await registry.stateOf(earlier)) === 'pending') return setInProgress(ctx, wallet, earlier);
  const transaction = await registry.prepareClaim({ wallet: address, ownerHash: expected }, await registrarKey(ctx));
  await setPaid(ctx, open, transaction);
  await registry.send(transaction).catch((error: unknown) => giveBack(ctx, open, error));
  await setInProgress(ctx, wallet, transaction.hash);
}

/** Stores the transaction and charges its maximum cost to the budgets, before it is sent. */
function setPaid(
  ctx: RegisterContext,
  { registry: { chainId }, wallet }: OpenRegistration,
  { hash, maxCost }: PreparedTransaction,
): Promise<void> {
  return ctx.db.transaction('system', async (tx) => {
    const { user_id: caller_id } = wallet;
    await reserveSpending(ctx, tx, { coin: coinOf(chainId), reference: wallet.id, caller_id, amount: maxCost });
    await setPrepared(tx, wallet.id, { hash, chainId });
  });
}

// An earlier transaction may still have been paid for.
async function giveBack(ctx: RegisterContext, { registry, wallet }: OpenRegistration, error: unknown): Promise<never> {
  if (error instanceof RegistryRefusal && wallet.prepared_hash === null)
    await releaseSpending(ctx.db.system, { coin: coinOf(registry.chainId), reference: wallet.id });
  throw error;
}

/** A node may not know for a while what another one has accepted. */
const patientTries = 5;

/** Confirms a wallet's registration after its transaction was sent, and sends it again if the chain dropped it. */
async function confirmWallet(ctx: RegisterContext, userId: string, attempt: number): Promise<void> {
  const open = await openRegistration(ctx, userId);
  if (open === undefined) return;
  const { registry, wallet } = open;
  const state = wallet.tx_hash === null ? 'unknown' : await registry.stateOf(wallet.tx_hash);
  if (state === 'pending' || (state !== 'reverted' && attempt < patientTries))
    throw new StillWaiting('The transaction has not been mined yet.');
  ctx.log.warn('The registration of a hosted wallet was lost; sending it again.', { wallet: wallet.id, state });
  await enqueue(ctx.db.system, registration, { userId }, registration.options(wallet));
}

interface OpenRegistration {
  registry: WalletRegistry;
  wallet: HostedWalletRow;
  address: string;
  expected: string;
}

/** Returns the next step; undefined if the wallet is gone or, according to the chain, registered. */
async function openRegistration(ctx: RegisterContext, userId: string): Promise<OpenRegistration | undefined> {
  const registry = ctx.walletRegistry;
  const wallet = await findWallet(ctx.db.system, userId);
  if (registry === undefined || wallet?.address == null || wallet.state === 'registered') return undefined;
  const { address } = wallet;
  const expected = ownerHash({ salt: wallet.salt, userId });
  const claim = await registry.findClaim(address);
  if (claim === undefined) return { registry, wallet, address, expected };
  if (claim.ownerHash === expected) await setRegistered(ctx.db.system, wallet.id, claim.txHash, ctx.clock());
  // A retry would change nothing, and block the wallets behind it.
  else
    ctx.log.error('The registry lists another owner for this wallet: is the registrar’s key compromised?', {
      address,
    });
  return undefined;
}

async function setInProgress(ctx: RegisterContext, wallet: HostedWalletRow, txHash: string): Promise<void> {
  await ctx.db.transaction('system', async (tx) => {
    await setSent(tx, wallet.id, txHash);
    await enqueue(tx, confirmation, { userId: wallet.user_id }, { uniqueKey: wallet.id });
  });
}

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

/** Registers all wallets again on a chain that was reset, as the development chain is with every start. */
export async function registerAgain(ctx: Pick<Context, 'db'>, chainId: number): Promise<void> {
  await ctx.db.transaction('system', async (tx) => {
    for (const wallet of await resetRegistrations(tx, chainId))
      await enqueue(tx, registration, { userId: wallet.user_id }, registration.options(wallet));
  });
}
