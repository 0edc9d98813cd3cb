import { anyone, app, choice, listOf, op, resource, T, texts, user } from '@latchkey/kernel';
import {
  AssetClaimResponse,
  AssetListItem,
  AssetOwnershipCreate,
  AssetVerification,
  AssetVerificationResponse,
  maxAssets,
} from './asset.ts';
import { claimTtlSeconds } from './claim-token.ts';
import { generateAssetVerification } from './generate-verification.ts';
import { getAssets, getOwnership } from './reads.ts';
import { verifyOwnership } from './verify-ownership.ts';

const account = T.String({
  description:
    'The account: an address, an address with its chain (evm:1:0x…), or a name of ENS where this server resolves them.',
  minLength: 1,
  maxLength: 256,
});
const named = T.Optional(
  texts(`Up to ${maxAssets} assets as CAIP-19 names them, like evm:1/ERC721:0x…. Defaults to the chain’s own coin.`),
);

export const assets = resource('assets', 'What accounts own, and claims about it that others can check.', [
  op(
    'GET /asset-list/{account}',
    {
      id: 'getAssets',
      sdk: 'AssetOwnershipController.getAssets',
      summary: 'List an account’s assets',
      description:
        'Returns the balance of each asset that is asked for, and the tokens of collections. An asset that could not be read has no balance, which is not the same as zero.',
      facts: { idsOfNobody: { account: 'What an address holds is public on its chain.' } },
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
      facts: { idsOfNobody: { account: 'What an address holds is public on its chain.' } },
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
      description: `Creates a token that says which assets you own with one of your linked wallets, and a short link under which everybody can have it checked for ${claimTtlSeconds / 86_400} days. The assets are read when the link is opened, not now.`,
      facts: {
        senderDecides: 'socialId openseaUrl mediaUrl account assets',
        idsOfNobody: {
          userId: 'Not read: a claim is always the caller’s own.',
          socialId: 'A name to show; it gives no rights.',
        },
      },
      access: user(),
      params: {
        format: T.Optional(
          choice('jwt can be read by everybody, ae by this server alone. Defaults to jwt.', ['jwt', 'ae']),
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
        'Reads the chains and returns which of the claimed assets the account owns now, with the claim itself and a signature over the answer. Tokens that are malformed, foreign or expired, and claims for wallets that were unlinked since, do not exist.',
      access: anyone,
      params: {
        token: T.String({
          description: 'The token of the claim, or the slug of its short link.',
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
