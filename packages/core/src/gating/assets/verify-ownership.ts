import { notFound, type ValueOf } from '@latchkey/kernel';
import { SignJWT } from 'jose';
import type { Context } from '../../context.ts';
import { currentKey } from '../../developers/signing-keys/index.ts';
import { findLocation } from '../../machinery/states/index.ts';
import { walletsOfUsers } from '../../people/wallets/index.ts';
import { splitAccount } from '../judging/index.ts';
import type { AssetOwnership, AssetOwnershipEntry, AssetVerificationResponse } from './asset.ts';
import { type Claim, type ClaimContext, claimAddress, readClaim } from './claim-token.ts';
import { type AssetContext, openAssets, openOwner } from './read-assets.ts';
import { readOwnership } from './reads.ts';

/** Looks at what a claim is worth now: a token proves that somebody claimed, never that it is still so. */
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
  // A wallet that was unlinked does not speak for the user any more, and a contract never did on another chain than its own.
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

/** The token of a claim that the slug of its short link stands for. */
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
