import { AppError, notFound, principalId, scopesOf } from '@latchkey/kernel';
import { endSessionsBy } from '../../identity/credentials/index.ts';
import {
  findWallet,
  isOwnAccount,
  selectWallets,
  setSignsInSince,
  type WalletRow,
} from '../../identity/wallets/index.ts';
import { notifyLoginMethodAdded } from '../../services/security-notices/index.ts';
import type { Context } from '../../shared/context.ts';
import { requirePresence } from '../../shared/require-presence.ts';
import { type SignInWallet, toSignInWallet } from './login-method.ts';

type WalletContext = Pick<Context, 'actor' | 'clock' | 'db' | 'locale' | 'tx'>;

const most = 1_000;

export async function listSignInWallets(ctx: WalletContext): Promise<SignInWallet[]> {
  const rows = await ctx.tx((tx) => selectWallets(tx, principalId(ctx.actor), undefined, most));
  return rows.map(toSignInWallet);
}

/**
 * Adds a login method to the account. Requires a recent sign-in, because a stolen session must not be able to add one.
 */
export async function switchOn(ctx: WalletContext, { id }: { id: string }): Promise<SignInWallet> {
  // Only the system writes links, so that no tenant's SQL can add a login method.
  return ctx.db.transaction('system', async (tx) => {
    const userId = principalId(ctx.actor);
    const wallet = await findWallet(tx, userId, id);
    if (wallet === undefined) throw notFound('linked wallet');
    if (isOwnAccount(wallet)) return toSignInWallet(wallet);
    requirePresence(ctx);
    refuseUnlessItCan(wallet);
    const changed = await setSignsInSince(tx, userId, id, { since: ctx.clock(), scopes: scopesOf(ctx.actor) });
    await notifyLoginMethodAdded(tx, userId, 'wallet-signs-in', ctx.locale);
    return toSignInWallet(changed ?? wallet);
  });
}

export async function switchOff(ctx: WalletContext, { id }: { id: string }): Promise<SignInWallet> {
  const changed = await ctx.db.transaction('system', async (tx) => {
    const wallet = await findWallet(tx, principalId(ctx.actor), id);
    if (wallet !== undefined && isOwnAccount(wallet))
      throw new AppError(
        'STATE_CONFLICT',
        'This account belongs to the wallet itself, which can always sign in to it.',
      );
    await endSessionsBy(ctx, tx, principalId(ctx.actor), 'wallet');
    return setSignsInSince(tx, principalId(ctx.actor), id, undefined);
  });
  if (changed === undefined) throw notFound('linked wallet');
  return toSignInWallet(changed);
}

// Only Ethereum wallets can sign in, and a contract's address is valid on one chain only.
function refuseUnlessItCan({ namespace, contract_chain, signer_address }: WalletRow): void {
  if (namespace === 'evm' && contract_chain === null && signer_address === null) return;
  throw new AppError('STATE_CONFLICT', 'Only an Ethereum wallet with its own key can sign in.');
}
