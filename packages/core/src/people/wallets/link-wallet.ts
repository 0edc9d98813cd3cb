import { AppError } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { proveWallet } from './prove-wallet.ts';
import { saveLink } from './save-link.ts';
import { spellingShown, walletChainOf } from './wallet-chains.ts';
import type { WalletsChanged } from './wallets-changed.ts';

export interface SignedLink {
  namespace: string;
  chain: string;
  address: string;
  /** The message of the challenge, to the letter. */
  message: string;
  signature: unknown;
  publicKey?: string | undefined;
}

/** Links a wallet to the caller's account, if its signature of a fresh challenge says so. Answers the stored address. */
export async function linkWallet(ctx: Context, link: SignedLink, changed: WalletsChanged): Promise<string> {
  const chain = walletChainOf(link.namespace, link.chain);
  const address = spell(ctx, { ...link, chain });
  const shownAddress = spellingShown(link.namespace, link.address, address);
  const proof = await proveWallet(ctx, { ...link, chain, address, shownAddress });
  if (proof.kind === 'no-challenge') throw messageIsUsed();
  if (proof.kind === 'refused')
    throw new AppError('INVALID_CREDENTIAL', 'The signature does not fit the message and the address.');
  const outcome = await saveLink(ctx, proof.wallet, changed, proof.challenge);
  if (outcome === 'used') throw messageIsUsed();
  if (outcome === 'taken') {
    await ctx.db.transaction('system', (tx) => proof.challenge.useUp(tx));
    throw new AppError(
      'STATE_CONFLICT',
      'This wallet is linked to another account of one of your communities. Remove it there first.',
    );
  }
  return proof.wallet.address;
}

function messageIsUsed(): AppError {
  return new AppError('INVALID_CREDENTIAL', 'The message is unknown, used or expired. Ask for a new one and sign it.');
}

function spell(ctx: Pick<Context, 'wallets'>, { namespace, chain, address }: SignedLink): string {
  const wallets = ctx.wallets[namespace];
  if (wallets === undefined)
    throw refused('/chainId', `must name a chain whose wallets can be linked: ${Object.keys(ctx.wallets).join(', ')}`);
  const spelled = wallets.normalizeAddress(address, chain);
  if (spelled === undefined) throw refused('/address', `must be an address of ${namespace}:${chain}`);
  return spelled;
}

function refused(path: string, message: string): AppError {
  return new AppError('VALIDATION_FAILED', `The body at ${path} ${message}.`, {
    details: [{ path, code: 'wallet', message }],
  });
}
