import { AppError, freshPresenceSeconds, isFresh, notFound, principalId, scopesOf } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { noticeWayIn } from '../security-notices/index.ts';
import { findWallet, isOwnAccount, selectWallets, setSignsInSince, type WalletRow } from '../wallets/index.ts';
import { type SignInWallet, toSignInWallet } from './way-in.ts';

type WalletContext = Pick<Context, 'actor' | 'clock' | 'db' | 'tx'>;

const most = 1_000;

export async function listSignInWallets(ctx: WalletContext): Promise<SignInWallet[]> {
  const rows = await ctx.tx((tx) => selectWallets(tx, principalId(ctx.actor), undefined, most));
  return rows.map(toSignInWallet);
}

/** A new way in to the account. Whoever has stolen a session must not be able to add one, so the person has to be there. */
export async function switchOn(ctx: WalletContext, { id }: { id: string }): Promise<SignInWallet> {
  // Links are written by the system alone, so that no tenant's SQL can open a way in.
  return ctx.db.transaction('system', async (tx) => {
    const userId = principalId(ctx.actor);
    const wallet = await findWallet(tx, userId, id);
    if (wallet === undefined) throw notFound('linked wallet');
    if (isOwnAccount(wallet)) return toSignInWallet(wallet);
    refuseUnlessPresent(ctx);
    refuseUnlessItCan(wallet);
    const changed = await setSignsInSince(tx, userId, id, { since: ctx.clock(), scopes: scopesOf(ctx.actor) });
    await noticeWayIn(tx, userId, 'wallet-signs-in');
    return toSignInWallet(changed ?? wallet);
  });
}

export async function switchOff(ctx: WalletContext, { id }: { id: string }): Promise<SignInWallet> {
  const changed = await ctx.db.transaction('system', async (tx) => {
    const wallet = await findWallet(tx, principalId(ctx.actor), id);
    if (wallet !== undefined && isOwnAccount(wallet))
      throw new AppError(
        'STATE_CONFLICT',
        'This account is the one of the wallet itself, which always signs in to it.',
      );
    return setSignsInSince(tx, principalId(ctx.actor), id, undefined);
  });
  if (changed === undefined) throw notFound('linked wallet');
  return toSignInWallet(changed);
}

function refuseUnlessPresent({ actor, clock }: Pick<Context, 'actor' | 'clock'>): void {
  if (actor.kind === 'user' && isFresh(actor.presence, clock())) return;
  throw new AppError(
    'PRESENCE_REQUIRED',
    `Sign in again first: this needs a sign-in by wallet, passkey or chat account within the last ${freshPresenceSeconds / 60} minutes.`,
  );
}

// Signing in is done with Ethereum wallets, and a contract speaks for its address on one chain only.
function refuseUnlessItCan({ namespace, contract_chain, signer_address }: WalletRow): void {
  if (namespace === 'evm' && contract_chain === null && signer_address === null) return;
  throw new AppError('STATE_CONFLICT', 'Only an Ethereum wallet with a key of its own can sign in.');
}
