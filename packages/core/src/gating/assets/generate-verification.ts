import { AppError, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { createSlug } from '../../machinery/states/index.ts';
import { selectWallets, shownAddress, walletAccountId } from '../../people/wallets/index.ts';
import { openAccount, splitAccount, UnreadableAccount } from '../judging/index.ts';
import type { AssetOwnershipCreate } from './asset.ts';
import { type Claim, type ClaimContext, claimAddress, claimTtlSeconds, writeClaim } from './claim-token.ts';
import { openAssets } from './read-assets.ts';

const maxTokenLength = 4096;
const maxClaimedAssets = 20;
const maxWallets = 1000;

type GenerateContext = ClaimContext & Pick<Context, 'actor' | 'names' | 'random' | 'tx' | 'wallets'>;

/** Makes a claim of the signed-in user, and a short link under which everybody can have it checked. */
export async function generateAssetVerification(
  ctx: GenerateContext,
  { format = 'jwt', body }: { format?: 'jwt' | 'ae'; body: AssetOwnershipCreate },
): Promise<{ token: string; slug: string; url: string }> {
  const { assets = [], socialId, openseaUrl, mediaUrl } = body;
  if (assets.length === 0 || assets.length > maxClaimedAssets) {
    throw refused('/assets', `A claim names 1 to ${maxClaimedAssets} assets.`);
  }
  openAssets(assets);
  const claim: Claim = {
    id: ctx.random.id(),
    userId: principalId(ctx.actor),
    createdAt: ctx.clock(),
    account: await ownAccount(ctx, body.account),
    assets: [...assets],
    ...(socialId !== undefined && { socialId }),
    ...(openseaUrl !== undefined && { openseaUrl }),
    ...(mediaUrl !== undefined && { mediaUrl }),
  };
  const token = await writeClaim(ctx, claim, format);
  if (token.length > maxTokenLength) throw refused('/assets', 'The claim is too long for a link; name fewer assets.');
  const target = claimAddress(ctx, token);
  const { slug, url } = await ctx.tx((tx) => createSlug(ctx, tx, { url: target, ttlSeconds: claimTtlSeconds }));
  return { token, slug, url };
}

/**
 * The wallet that the claim is about, with its chain: the one it was linked on, or another that the caller names, since a key is
 * the same account on every chain of its namespace. A contract speaks for its address on one chain only. The wallet has to be the
 * caller's: otherwise they could claim what somebody else owns.
 */
async function ownAccount(ctx: GenerateContext, account: string | undefined): Promise<string> {
  const linked = await selectWallets(ctx.db.system, principalId(ctx.actor), undefined, maxWallets);
  if (account === undefined) {
    const [first] = linked;
    if (first === undefined) throw refused('/account', 'Link a wallet first: a claim is about one of your wallets.');
    return walletAccountId(first);
  }
  const chains = linked.map(({ namespace }) => `${namespace}:mainnet`);
  const meant = await openAccount(ctx, account, chains).catch((error: unknown) => {
    throw error instanceof UnreadableAccount ? refused('/account', error.message) : error;
  });
  const own = linked.filter(({ namespace, address }) =>
    meant.some((wallet) => wallet.namespace === namespace && wallet.address === address),
  );
  const [first] = own;
  if (first === undefined) throw refused('/account', 'This is none of the wallets you linked.');
  const { chain } = splitAccount(account);
  if (chain === undefined) return walletAccountId(first);
  const onChain = own.find(({ contract_chain }) => contract_chain === null || chain === `evm:${contract_chain}`);
  if (onChain === undefined)
    throw refused('/account', `This wallet is a contract, which you linked as ${walletAccountId(first)}.`);
  return `${chain}:${shownAddress(onChain)}`;
}

function refused(path: string, message: string): AppError {
  return new AppError('VALIDATION_FAILED', `The body at ${path} cannot be used. ${message}`, {
    details: [{ path, code: 'claim', message }],
  });
}
