import { enqueue } from '@latchkey/db';
import { AppError, notSetUp } from '@latchkey/kernel';
import type { WalletRegistry } from '../../ports/index.ts';
import { type AskContext, askSigner } from '../../services/signer/index.ts';
import { requireBudget, requireSpender } from '../../services/spending/index.ts';
import type { Context } from '../../shared/context.ts';
import { forgetHostedWallet } from './forget.ts';
import type { Person } from './owner.ts';
import { findWallet, type HostedWalletRow, insertWallet, setMade } from './queries.ts';
import { coinOf, registration } from './registration.ts';

export type MakeContext = AskContext & Pick<Context, 'actor' | 'tx' | 'walletRegistry'>;

/**
 * Returns a user's wallet, and creates it if there is none. However often and concurrently this is called, there is one
 * key. Each step is stored, so that a call after a failure continues where the last one ended.
 */
export async function makeWallet(ctx: MakeContext, owner: Person): Promise<HostedWalletRow> {
  const registry = getRegistry(ctx);
  await requirePayment(ctx, owner, registry);
  const wallet = await ctx.tx((tx) => insertWallet(tx, newWallet(ctx, owner, registry)));
  if (wallet.state === 'registered') return wallet;
  if (wallet.state === 'made') return resume(ctx, wallet);
  const key = await askSigner(ctx, { kind: 'make-key', userId: owner.userId, walletId: wallet.id });
  return ctx.tx(async (tx) => {
    const made = (await setMade(tx, owner.userId, key)) ?? (await findWallet(tx, owner.userId));
    if (made !== undefined) {
      await enqueue(tx, registration, { userId: owner.userId }, registration.options(made));
      return made;
    }
    // The account was erased meanwhile, and a key must not outlive it.
    await forgetHostedWallet(tx, owner.userId);
    throw new AppError('STATE_CONFLICT', 'The account was erased while its wallet was being created.');
  });
}

/** Checks whether the operator pays for one more registration. Its cost is known, and reserved, once it is signed. */
async function requirePayment(ctx: MakeContext, { userId }: Person, { chainId }: WalletRegistry): Promise<void> {
  const known = await ctx.tx((tx) => findWallet(tx, userId));
  if (known?.state === 'registered' || (known?.prepared_hash ?? null) !== null) return;
  const coin = coinOf(chainId);
  requireSpender(ctx, coin);
  const least = { coin, reference: '', caller_id: userId, amount: 1n };
  await ctx.db.transaction('system', (tx) => requireBudget(ctx, tx, least));
}

/** A registration that was given up is resumed when its owner asks again. */
async function resume(ctx: MakeContext, wallet: HostedWalletRow): Promise<HostedWalletRow> {
  await ctx.tx((tx) => enqueue(tx, registration, { userId: wallet.user_id }, registration.options(wallet)));
  return wallet;
}

function newWallet(ctx: MakeContext, owner: Person, registry: WalletRegistry): HostedWalletRow {
  return {
    user_id: owner.userId,
    platform: owner.platform,
    id: ctx.random.id(),
    salt: Buffer.from(ctx.random.bytes(32)).toString('hex'),
    state: 'new',
    address: null,
    public_key: null,
    token_id: null,
    chain_id: registry.chainId,
    prepared_hash: null,
    tx_hash: null,
    created_at: ctx.clock(),
    registered_at: null,
  };
}

export function getRegistry({ walletRegistry }: Pick<Context, 'walletRegistry'>): WalletRegistry {
  if (walletRegistry !== undefined) return walletRegistry;
  throw notSetUp(
    'No registry of hosted wallets is configured on this server. Its operator can set LATCHKEY_REGISTRY_ADDRESS.',
  );
}
