import { OpenObject, record, T, text, texts, type ValueOf } from '@latchkey/kernel';

export const maxAssets = 50;

const caip = { maxLength: 1024 };

const HeldToken = T.Object({
  id: T.Optional(text('The token.')),
  balance: T.Optional(text('The amount, as a decimal.', { maxLength: 160 })),
  uri: T.Optional(text('Where its metadata is.', { maxLength: 65_536 })),
  metadata: T.Optional(OpenObject),
});

export const AssetListItem = record('AssetListItem', 'What an account holds of one asset.', {
  asset: T.Optional(text('The asset, as requested.', caip)),
  balance: T.Optional(
    text('The amount in whole tokens, an exact decimal. Absent when it could not be read.', { maxLength: 160 }),
  ),
  tokens: T.Optional(T.Array(HeldToken, { description: 'The tokens, for assets that have some.', maxItems: 100_000 })),
});
export type AssetListItem = ValueOf<typeof AssetListItem>;

export const AssetOwnershipEntry = record('AssetOwnershipEntry', 'Whether an account owns an asset.', {
  asset: T.Optional(text('The asset, as requested.', caip)),
  owner: T.Optional(T.Boolean({ description: 'True for any amount above zero. Absent when it could not be read.' })),
});
export type AssetOwnershipEntry = ValueOf<typeof AssetOwnershipEntry>;

export const AssetClaimResponse = record('AssetClaimResponse', 'Which assets an account owns.', {
  assets: T.Array(AssetOwnershipEntry, { description: 'One for each requested asset.', maxItems: 100 }),
});

const claimed = {
  userId: T.Optional(text('Whose claim it is: always the account that made it.', { maxLength: 128 })),
  socialId: T.Optional(text('A social network handle to show with the claim.', { maxLength: 256 })),
  openseaUrl: T.Optional(text('A page about the asset.', { maxLength: 1024 })),
  mediaUrl: T.Optional(text('A picture of the asset.', { maxLength: 1024 })),
  account: T.Optional(
    text('The account: one of the linked wallets. Defaults to the first of them.', { maxLength: 256 }),
  ),
  assets: T.Optional(texts('The assets, in CAIP-19 form.', caip)),
};
const carried = {
  classifier: T.Optional(text('Accepted for older clients; it has no effect.', { maxLength: 128 })),
  classifierGroup: T.Optional(text('Accepted for older clients; it has no effect.', { maxLength: 128 })),
};

export const AssetOwnershipCreate = record('AssetOwnershipCreate', 'A claim to own assets.', {
  ...carried,
  ...claimed,
});
export type AssetOwnershipCreate = ValueOf<typeof AssetOwnershipCreate>;

export const AssetOwnership = record('AssetOwnership', 'A claim to own assets, as it was made.', {
  id: T.Optional(text('The id of the claim.', { maxLength: 64 })),
  createdTime: T.Optional(text('When it was made, in ISO 8601 form.', { maxLength: 32 })),
  pk: T.Optional(text('Whose claim it is.', { maxLength: 128 })),
  sk: T.Optional(text('The kind and the id of the claim.', { maxLength: 128 })),
  ...carried,
  ...claimed,
});
export type AssetOwnership = ValueOf<typeof AssetOwnership>;

export const AssetVerification = record('AssetVerification', 'A claim as a token, and a short link that checks it.', {
  token: T.Optional(text('The claim: as jwt anyone can read it, as ae only this server can.', { maxLength: 4096 })),
  slug: T.Optional(text('The last part of the short link.', { maxLength: 64 })),
  url: T.Optional(text('The short link that checks the claim.')),
});

export const AssetVerificationResponse = record('AssetVerificationResponse', 'Whether a claim is currently true.', {
  assets: T.Array(AssetOwnershipEntry, { description: 'One for each asset of the claim.', maxItems: 100 }),
  signature: T.Optional(
    text('This response as a JWT that you can share, signed with a key from /.well-known/jwks.json.', {
      maxLength: 65_536,
    }),
  ),
  claim: AssetOwnership,
});
