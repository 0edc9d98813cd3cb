import { hashSecret } from '@latchkey/db';
import { AppError, principalId } from '@latchkey/kernel';
import type { Context } from '../context.ts';
import type { ProofVerdict, WalletNamespace } from '../ports/index.ts';
import { insertWallet, lockWallet, selectOtherHolders, takeLinkChallenge } from './queries.ts';
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
  const { actor } = ctx;
  const userId = principalId(actor);
  const wallets = walletsOf(ctx, link);
  // Taken before the signature is looked at: a failed try must not leave the challenge usable.
  const challenge = await ctx.tx((tx) => takeLinkChallenge(tx, hashSecret(link.message), userId, ctx.clock()));
  if (challenge === undefined)
    throw new AppError('INVALID_CREDENTIAL', 'The message is unknown, used or expired. Ask for a new one and sign it.');
  const verdict = await wallets.verify({
    chain: link.chain,
    address: link.address,
    message: challenge.message,
    signature: link.signature,
    publicKey: link.publicKey,
    // The message names no wallet, so a contract's answer could be meant for another contract of the same owner.
    details: { scheme: 'eip191', keyOnly: true },
  });
  const address = addressOf(verdict);
  await ctx.db.transaction('system', async (tx) => {
    await lockWallet(tx, link.namespace, address);
    const wallet = {
      id: ctx.random.id(),
      user_id: userId,
      platform: actor.kind === 'user' ? actor.platform : 'collabland',
      user_name: actor.kind === 'user' ? (actor.name ?? null) : null,
      namespace: link.namespace,
      address,
      contract_chain: null,
      created_at: ctx.clock(),
    };
    const [other] = await selectOtherHolders(tx, wallet);
    if (other !== undefined)
      throw new AppError(
        'STATE_CONFLICT',
        'This wallet is linked to another account of the same platform. Remove it there first.',
      );
    const isNew = await insertWallet(tx, wallet);
    if (isNew) await changed(tx, userId);
  });
  return address;
}

function walletsOf(ctx: Pick<Context, 'wallets'>, { namespace, chain, address }: SignedLink): WalletNamespace {
  const wallets = ctx.wallets[namespace];
  if (wallets === undefined)
    throw refused('/chainId', `must name a chain whose wallets can be linked: ${Object.keys(ctx.wallets).join(', ')}`);
  if (wallets.normalizeAddress(address, chain) === undefined)
    throw refused('/address', `must be an address of ${namespace}:${chain}`);
  return wallets;
}

function addressOf(verdict: ProofVerdict): string {
  if (verdict.kind === 'valid') return verdict.address;
  if (verdict.kind === 'unknown')
    throw new AppError(
      'UNAVAILABLE',
      'The chain cannot be asked about this account at the moment. Ask for a new message shortly.',
      { retryAfterSeconds: 5 },
    );
  throw new AppError('INVALID_CREDENTIAL', 'The signature does not fit the message and the address.');
}

function refused(path: string, message: string): AppError {
  return new AppError('VALIDATION_FAILED', `The body at ${path} ${message}.`, {
    details: [{ path, code: 'wallet', message }],
  });
}
