import {
  AppError,
  anyone,
  app,
  choice,
  listOf,
  notFound,
  op,
  principalId,
  resource,
  T,
  texts,
  user,
  type ValueOf,
} from '@latchkey/kernel';
import { SignJWT } from 'jose';
import { createSlug, findLocation } from '../../identity/states/index.ts';
import { selectWallets, shownAddress, walletAccountId, walletsOfUsers } from '../../identity/wallets/index.ts';
import { currentKey } from '../../services/signing-keys/index.ts';
import type { Context } from '../../shared/context.ts';
import { parseDecimal } from '../../shared/decimal.ts';
import { openAccount, splitAccount, UnreadableAccount } from '../evaluation/index.ts';
import type { RuleWallet } from '../rules/index.ts';
import {
  AssetClaimResponse,
  AssetListItem,
  type AssetOwnership,
  AssetOwnershipCreate,
  type AssetOwnershipEntry,
  AssetVerification,
  AssetVerificationResponse,
  maxAssets,
} from './asset.ts';
import { type Claim, type ClaimContext, claimAddress, claimTtlSeconds, readClaim, writeClaim } from './claim-token.ts';
import {
  type AssetContext,
  coinOf,
  type NamedAsset,
  needsOfList,
  openAssets,
  openOwner,
  readHoldings,
} from './read-assets.ts';

const maxTokenLength = 4096;
const maxClaimedAssets = 20;
const maxWallets = 1000;

type GenerateContext = ClaimContext & Pick<Context, 'actor' | 'names' | 'random' | 'tx' | 'wallets'>;

/** Creates a claim of the signed-in user, and a short link where anyone can verify it. */
export async function generateAssetVerification(
  ctx: GenerateContext,
  { format = 'jwt', body }: { format?: 'jwt' | 'ae'; body: AssetOwnershipCreate },
): Promise<{ token: string; slug: string; url: string }> {
  const { assets = [], socialId, openseaUrl, mediaUrl } = body;
  if (assets.length === 0 || assets.length > maxClaimedAssets) {
    throw refused('/assets', `A claim must list 1 to ${maxClaimedAssets} assets.`);
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
 * Returns the wallet that the claim is about, with its chain: the one it was linked on, or another that the caller
 * names, since a key is the same account on every chain of its namespace. A contract has its address on one chain only.
 * The wallet must belong to the caller: otherwise they could claim another user's assets.
 */
async function ownAccount(ctx: GenerateContext, account: string | undefined): Promise<string> {
  const linked = await selectWallets(ctx.db.system, principalId(ctx.actor), undefined, maxWallets);
  if (account === undefined) {
    const [first] = linked;
    if (first === undefined)
      throw refused('/account', 'Link a wallet first: a claim must be about one of your wallets.');
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
  if (first === undefined) throw refused('/account', 'This is not one of your linked wallets.');
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

const account = T.String({
  description:
    'The account: an address, an address with its chain (evm:1:0x…), or an ENS name if this server resolves them.',
  minLength: 1,
  maxLength: 256,
});
const named = T.Optional(
  texts(
    `Up to ${maxAssets} assets in CAIP-19 form, such as evm:1/ERC721:0x…. Defaults to the chain’s native currency.`,
  ),
);

export const assets = resource('assets', 'What accounts own, and ownership claims that others can verify.', [
  op(
    'GET /asset-list/{account}',
    {
      id: 'getAssets',
      sdk: 'AssetOwnershipController.getAssets',
      summary: 'List an account’s assets',
      description:
        'Returns the balance of each requested asset, and the tokens in each collection. An asset that could not be read has no balance, which is not the same as zero.',
      access: app(),
      params: { account, assets: named },
      returns: listOf(AssetListItem),
    },
    getAssets,
  ),
  op(
    'GET /asset-ownership/{account}',
    {
      id: 'getOwnership',
      sdk: 'AssetOwnershipController.getOwnership',
      summary: 'Check whether an account owns assets',
      description:
        'Returns for each asset whether the account owns any of it. An asset that could not be read has no result.',
      access: app(),
      params: { account, assets: named },
      returns: AssetClaimResponse,
    },
    getOwnership,
  ),
  op(
    'POST /asset-verification',
    {
      id: 'generateAssetVerification',
      sdk: 'AssetOwnershipController.generateJwt',
      summary: 'Create a proof of asset ownership',
      description: `Creates a token that states which assets you own with one of your linked wallets, and a short link where anyone can verify it for ${claimTtlSeconds / 86_400} days. The assets are read when the link is opened, not now.`,
      access: user(),
      params: {
        format: T.Optional(
          choice('Anyone can read jwt; only this server can read ae. Defaults to jwt.', ['jwt', 'ae']),
        ),
      },
      body: AssetOwnershipCreate,
      returns: AssetVerification,
      repeatable: true,
    },
    generateAssetVerification,
  ),
  op(
    'GET /asset-verification/{token}',
    {
      id: 'verifyOwnership',
      sdk: 'AssetOwnershipController.verifyOwnership',
      summary: 'Verify a proof of asset ownership',
      description:
        'Reads the chains and returns which of the claimed assets the account owns now, with the claim itself and a signature over the response. Returns not found for tokens that are malformed, expired or from another server, and for claims about wallets that have since been unlinked.',
      access: anyone,
      params: {
        token: T.String({
          description: 'The claim token, or the slug of its short link.',
          minLength: 1,
          maxLength: 4096,
        }),
      },
      returns: AssetVerificationResponse,
      errors: ['ENTITY_NOT_FOUND'],
    },
    verifyOwnership,
  ),
]);

/** Re-evaluates a claim now: a token proves that a user made the claim, never that it still holds. */
export async function verifyOwnership(
  ctx: ClaimContext & AssetContext & Pick<Context, 'random'>,
  { token }: { token: string },
): Promise<ValueOf<typeof AssetVerificationResponse>> {
  const claim = await readClaim(ctx, (await tokenBehind(ctx, token)) ?? token);
  if (claim === undefined) throw notFound('claim');
  const named = openAssets(claim.assets);
  const [wallet] = await openOwner(ctx, claim.account, named);
  const linked = (await walletsOfUsers(ctx.db.system, [claim.userId])).get(claim.userId) ?? [];
  const { chain } = splitAccount(claim.account);
  // An unlinked wallet no longer belongs to the user, and a contract's address counts on its own chain only.
  const own = linked.find(
    ({ namespace, address, contractChain }) =>
      namespace === wallet?.namespace &&
      address === wallet?.address &&
      (contractChain === undefined || chain === `evm:${contractChain}`),
  );
  if (own === undefined) throw notFound('claim');
  const assets = await readOwnership(ctx, [own], named);
  return { assets, claim: describe(claim), signature: await sign(ctx, claim, assets) };
}

/** The token of the claim that a short link's slug refers to. */
async function tokenBehind(ctx: ClaimContext, slug: string): Promise<string | undefined> {
  if (slug.includes('.')) return undefined;
  const location = await findLocation(ctx, slug);
  const place = claimAddress(ctx, '');
  return location?.startsWith(place) ? location.slice(place.length) : undefined;
}

function describe({ id, userId, createdAt, ...fields }: Claim): AssetOwnership {
  return {
    id,
    createdTime: createdAt.toISOString(),
    pk: userId,
    sk: `ASSET_OWNERSHIP#${id}`,
    classifier: 'ASSET_OWNERSHIP',
    classifierGroup: 'ASSET_OWNERSHIP',
    userId,
    ...fields,
  };
}

async function sign(ctx: ClaimContext, claim: Claim, assets: readonly AssetOwnershipEntry[]): Promise<string> {
  const { kid, privateKey } = await currentKey(ctx, 'jwt');
  return new SignJWT({ account: claim.account, assets })
    .setProtectedHeader({ alg: 'ES256', kid, typ: 'asset-verification+jwt' })
    .setIssuer(ctx.settings.baseUrl)
    .setSubject(claim.userId)
    .setIssuedAt(Math.floor(ctx.clock().getTime() / 1000))
    .sign(privateKey);
}

interface AccountRequest {
  account: string;
  assets?: readonly string[];
}

/** Returns what an account holds of the named assets, or of its chain's native currency. */
export async function getAssets(ctx: AssetContext, { account, assets }: AccountRequest): Promise<AssetListItem[]> {
  const named = openAssets(assets ?? [coinOf(account)]);
  const answers = await readHoldings(ctx, await openOwner(ctx, account, named), named, needsOfList);
  return named.map(({ text }, index) => {
    const answer = answers[index];
    if (answer?.kind !== 'read') return { asset: text };
    const tokens = answer.tokens?.map(({ id, amount, uri, metadata }) => ({
      id,
      balance: amount,
      ...(uri !== undefined && { uri }),
      ...(metadata !== undefined && { metadata }),
    }));
    return { asset: text, balance: answer.amount, ...(tokens !== undefined && { tokens }) };
  });
}

/** Returns which of the named assets an account owns, or whether it owns any of its chain's native currency. */
export async function getOwnership(
  ctx: AssetContext,
  { account, assets }: AccountRequest,
): Promise<{ assets: AssetOwnershipEntry[] }> {
  const named = openAssets(assets ?? [coinOf(account)]);
  return { assets: await readOwnership(ctx, await openOwner(ctx, account, named), named) };
}

/** Whether the wallets own any of each asset. An asset that could not be read is neither owned nor not owned. */
async function readOwnership(
  ctx: AssetContext,
  wallets: readonly RuleWallet[],
  named: readonly NamedAsset[],
): Promise<AssetOwnershipEntry[]> {
  const answers = await readHoldings(ctx, wallets, named, ({ needs }) => needs);
  return named.map(({ text }, index) => {
    const answer = answers[index];
    const amount = answer?.kind === 'read' ? parseDecimal(answer.amount) : undefined;
    return { asset: text, ...(amount !== undefined && { owner: amount.units > 0n }) };
  });
}
