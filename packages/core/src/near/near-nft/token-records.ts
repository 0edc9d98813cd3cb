import { pageOf, record, T, text, type ValueOf } from '@latchkey/kernel';
import { accountId, amount, chainId, tokenId } from './fields.ts';
import { NearToSign } from './to-sign.ts';

const when = (description: string) =>
  T.Optional(T.Union([T.String({ maxLength: 64 }), T.Number()], { description, maxLength: 64 }));

export const NEP171TokenMetadata = record('NEP171TokenMetadata', 'The metadata of a token (NEP-177).', {
  title: T.Optional(text('Its name.')),
  description: T.Optional(text('The description.', { maxLength: 4096 })),
  media: T.Optional(text('The URL of its media.', { maxLength: 2048 })),
  media_hash: T.Optional(text('SHA-256 of the media, in base64.', { maxLength: 64 })),
  copies: T.Optional(amount('The number of copies.')),
  issued_at: when('When it was created.'),
  expires_at: when('When it expires.'),
  starts_at: when('When it becomes valid.'),
  updated_at: when('When it was changed last.'),
  extra: T.Optional(text('Anything else, often JSON.', { maxLength: 4096 })),
  reference: T.Optional(text('A link to more information.', { maxLength: 2048 })),
  reference_hash: T.Optional(text('SHA-256 of that content, in base64.', { maxLength: 64 })),
});
export type NEP171TokenMetadata = ValueOf<typeof NEP171TokenMetadata>;

const NEP171ContractMetadata = record('NEP171ContractMetadata', 'The metadata of a contract (NEP-177).', {
  spec: T.Optional(text('The version of the standard.', { maxLength: 32 })),
  name: T.Optional(text('Its name.', { maxLength: 200 })),
  symbol: T.Optional(text('A short name.', { maxLength: 32 })),
  icon: T.Optional(text('A picture as a data URL.', { maxLength: 16_384 })),
  base_uri: T.Optional(text('The base URL of media and references.', { maxLength: 2048 })),
  reference: T.Optional(text('A link to more information.', { maxLength: 2048 })),
  reference_hash: T.Optional(text('SHA-256 of that content, in base64.', { maxLength: 64 })),
});

const NEP171TokenOption = record('NEP171TokenOption', 'A type of tokens, and how many there may be.', {
  type: T.Optional(text('The name of the type.', { minLength: 1, maxLength: 64 })),
  cap: T.Optional(amount('How many tokens of the type can be minted. Defaults to 2^64 − 1.')),
});
export type NEP171TokenOption = ValueOf<typeof NEP171TokenOption>;

export const NEP171TokenTypes = record('NEP171TokenTypes', 'Types to add to a contract.', {
  types: T.Optional(T.Array(NEP171TokenOption, { description: 'The types.', maxItems: 100 })),
  locked: T.Optional(
    T.Boolean({ description: 'Tokens of these types cannot be transferred until the types are unlocked.' }),
  ),
});
export type NEP171TokenTypes = ValueOf<typeof NEP171TokenTypes>;

const CollectionSeries = record('CollectionSeries', 'When a series is available.', {
  publishDate: T.Optional(text('When it begins.', { maxLength: 64 })),
  closeDate: T.Optional(text('When it ends.', { maxLength: 64 })),
});

const CollectionProperties = record('CollectionProperties', 'How a contract relates to others.', {
  classification: T.Optional(text('The collection it belongs to.', { minLength: 1, maxLength: 128 })),
  series: T.Optional(CollectionSeries),
  tokensPerClaim: T.Optional(T.Number({ description: 'How many tokens one claim gives.', minimum: 0 })),
});

export const TokenContractSettings = record('TokenContractSettings', 'A token contract to create.', {
  name: T.Optional(text('Its name; metadata.name takes precedence.', { minLength: 1, maxLength: 200 })),
  metadataUrl: T.Optional(text('A link to more information.', { maxLength: 2048 })),
  tokenOptions: T.Optional(T.Array(NEP171TokenOption, { description: 'Its initial types.', maxItems: 100 })),
  properties: T.Optional(CollectionProperties),
  metadata: T.Optional(NEP171ContractMetadata),
  owner: T.Optional(accountId('The NEAR account that it is created for. Its creator manages it through this server.')),
  contractId: T.Optional(
    text('The name of its account below the server’s account. Send it to make the request safe to repeat.', {
      minLength: 2,
      maxLength: 40,
      pattern: '^[a-z0-9]+([-_][a-z0-9]+)*$',
    }),
  ),
});
export type TokenContractSettings = ValueOf<typeof TokenContractSettings>;

const TokenRoyalty = record('TokenRoyalty', 'Who gets a share of every sale.', {
  value: T.Optional(amount('The share in hundredths of a percent, 10000 being the whole.')),
  address: T.Optional(accountId('The account that receives it.')),
  label: T.Optional(text('What it is for.', { maxLength: 200 })),
});

const TokenProperties = record('TokenProperties', 'Additional settings of a token.', {
  issuance: T.Optional(amount('The number of copies.')),
  minting_fee: T.Optional(amount('The stated cost of minting; nothing is charged for it here.')),
  royalties: T.Optional(T.Array(TokenRoyalty, { description: 'Shares of every sale.', maxItems: 10 })),
});

export const TokenSettings = record('TokenSettings', 'A token to mint.', {
  id: T.Optional(tokenId('Its id. Defaults to a random one. Send an id to make the request safe to repeat.')),
  type: T.Optional(text('Its type, if the contract has types.', { maxLength: 64 })),
  name: T.Optional(text('Its name; metadata.title takes precedence.', { maxLength: 200 })),
  metadataUrl: T.Optional(text('A link to more information.', { maxLength: 2048 })),
  properties: T.Optional(TokenProperties),
  metadata: T.Optional(NEP171TokenMetadata),
  contractVersion: T.Optional(text('The version of the contract that is expected; only recorded.', { maxLength: 64 })),
});
export type TokenSettings = ValueOf<typeof TokenSettings>;

export const MintedToken = record('MintedToken', 'A token that was minted.', {
  tokenId: tokenId('Its id.'),
  transactionHash: text('The transaction that created it.', { maxLength: 64 }),
});

export const TokenContract = record('TokenContract', 'A contract of tokens on NEAR, or one token of it.', {
  id: T.Optional(text('The address of the contract; in lists of tokens the id of the token.', { maxLength: 256 })),
  createdTime: T.Optional(
    text('When it was created, if that is known; in lists of tokens when the token was minted.', { maxLength: 64 }),
  ),
  pk: T.Optional(text('Its owner, shown only to its creator.')),
  sk: T.Optional(text('Its sort key below that.')),
  classifier: T.Optional(text('TOKEN_CONTRACT or MARKET_CONTRACT.', { maxLength: 32 })),
  classifierGroup: T.Optional(text('The same.', { maxLength: 32 })),
  type: T.Optional(
    text('The standard that it implements, NEP171 or MARKET; in lists of tokens the type of the token.', {
      maxLength: 64,
    }),
  ),
  chainId: T.Optional(text('The network.', { maxLength: 64 })),
  name: T.Optional(text('Its name.')),
  symbol: T.Optional(text('Its short name.', { maxLength: 64 })),
  tenant: T.Optional(text('Its owner, shown only to its creator.')),
  metadataUrl: T.Optional(text('A link to more information.', { maxLength: 2048 })),
  owner: T.Optional(text('The NEAR account it was created for, or that owns the token.', { maxLength: 64 })),
  transactionHash: T.Optional(
    text('The transaction that created it; in lists of tokens the one that minted the token.', { maxLength: 64 }),
  ),
  tokenAddress: T.Optional(text('The address of the contract.', { maxLength: 64 })),
});
export type TokenContract = ValueOf<typeof TokenContract>;
export const TokenContractPage = pageOf(TokenContract, 'TokenContractPage');

export const Token = record('Token', 'The current state of a token on the chain.', {
  chainId: T.Optional(text('The network.', { maxLength: 64 })),
  tokenAddress: T.Optional(text('The address of the contract.', { maxLength: 64 })),
  id: T.Optional(tokenId('Its id.')),
  ownerAddress: T.Optional(text('The account that owns it.', { maxLength: 64 })),
  tokenContract: T.Optional(TokenContract),
  metadata: T.Optional(NEP171TokenMetadata),
  transactionHash: T.Optional(text('The transaction that was sent for this response.', { maxLength: 64 })),
  toSign: T.Optional(T.Array(NearToSign, { description: 'What its owner must sign first.', maxItems: 4 })),
});
export type Token = ValueOf<typeof Token>;

export const TokenTransfer = record('TokenTransfer', 'A token to transfer.', {
  tokenAddress: T.Optional(accountId('The address of the contract.')),
  tokenId: T.Optional(tokenId('The token.')),
  sender: T.Optional(accountId('The account that owns it, which signs.')),
  receiver: T.Optional(accountId('The account that receives it.')),
  price: T.Optional(amount('What was paid for it elsewhere; written into the memo.')),
});
export type TokenTransfer = ValueOf<typeof TokenTransfer>;

export const NearToEthTransfer = record('NearToEthTransfer', 'Bridged tokens to return to Ethereum.', {
  chainId,
  bridgeTokenContract: accountId('The contract of the bridged token.'),
  sender: accountId('The account that owns the tokens, which signs.'),
  recipient: text('The Ethereum address that can claim them.', { maxLength: 42, pattern: '^(0x)?[0-9a-fA-F]{40}$' }),
  amount: amount('How much, in the smallest unit.'),
});
export type NearToEthTransfer = ValueOf<typeof NearToEthTransfer>;
