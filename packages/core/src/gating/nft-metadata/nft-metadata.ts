import { AppError, OpenObject, record, T, text, texts, type ValueOf } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';

const carried = {
  createdTime: T.Optional(text('When it was first described.', { maxLength: 64 })),
  pk: T.Optional(text('The chain and the contract.')),
  sk: T.Optional(text('CONTRACT, or TOKEN# and the number of the token.')),
  classifier: T.Optional(text('NFT_CONTRACT or NFT_TOKEN.')),
  classifierGroup: T.Optional(text('Always NFT.')),
};
const id = T.Optional(text('The chain, the contract and the token.'));

const described = {
  name: T.Optional(text('What people call it.')),
  description: T.Optional(text('What it is.', { maxLength: 16_000 })),
  image: T.Optional(text('The image URL; a data: URL contains the image itself.', { maxLength: 65_536 })),
};

const Attribute = record('TokenAttribute', 'One trait of a token.', {
  trait_type: T.Optional(text('The trait name, such as Eyes. Absent for a value without a name.')),
  value: T.Union(
    [
      text('The value.', { maxLength: 4096 }),
      T.Number({ description: 'The value.' }),
      T.Boolean({ description: 'The value.' }),
    ],
    {
      description: 'The value: a text, a number, or true or false.',
    },
  ),
  display_type: T.Optional(text('How a number is shown, such as number, boost_number, boost_percentage or date.')),
  max_value: T.Optional(T.Number({ description: 'The largest value that the trait can have.' })),
  order: T.Optional(T.Number({ description: 'Its position among the traits.' })),
});

/** What marketplaces read about a collection (ERC-7572), beyond the fields of every token. */
const contractFields = {
  ...described,
  symbol: T.Optional(text('The short name of the collection.')),
  banner_image: T.Optional(text('The URL of a banner image.', { maxLength: 65_536 })),
  featured_image: T.Optional(text('The URL of a featured image.', { maxLength: 65_536 })),
  collaborators: T.Optional(texts('The accounts that may edit the collection on marketplaces.')),
  external_link: T.Optional(text('A page about the collection.', { maxLength: 2048 })),
  seller_fee_basis_points: T.Optional(
    T.Number({
      description: 'The royalty on each sale, in basis points.',
      minimum: 0,
      maximum: 10_000,
      multipleOf: 1,
    }),
  ),
  fee_recipient: T.Optional(
    text('The account that receives the royalty.', { pattern: '^0x[0-9a-fA-F]{40}$', maxLength: 42 }),
  ),
};

const tokenFields = {
  ...described,
  contractAddress: T.Optional(text('The contract; always that of the path.', { maxLength: 128 })),
  transactionHash: T.Optional(
    text('The transaction that minted it.', { pattern: '^0x[0-9a-fA-F]{64}$', maxLength: 66 }),
  ),
  tokenId: T.Optional(text('The number; always that of the path.', { format: 'BigNumber', maxLength: 80 })),
  decimals: T.Optional(
    T.Number({
      description: 'The number of decimals.',
      minimum: 0,
      maximum: 255,
      multipleOf: 1,
    }),
  ),
  properties: T.Optional(OpenObject),
  attributes: T.Optional(
    T.Array(Attribute, { description: 'Its traits, as marketplaces show and filter them.', maxItems: 1_000 }),
  ),
  animation_url: T.Optional(text('The URL of a video, audio file, 3D model or page.', { maxLength: 65_536 })),
  external_url: T.Optional(text('A page about the token.', { maxLength: 2048 })),
  image_data: T.Optional(text('The image as inline SVG, instead of a URL.', { maxLength: 65_536 })),
  background_color: T.Optional(
    text('The background color as six hexadecimal digits, without #.', { pattern: '^[0-9a-fA-F]{6}$', maxLength: 6 }),
  ),
  youtube_url: T.Optional(text('A YouTube video URL.', { maxLength: 2048 })),
  localization: T.Optional(OpenObject),
};

const named = <Fields extends object>(fields: Fields) => Object.keys(fields) as (keyof Fields)[];

/** The fields of a contract that the sender can set. */
export const contractFieldNames = named(contractFields);
/** The same for a token; the contract and the token id come from the path. */
export const tokenFieldNames = named(tokenFields).filter(
  (name): name is Exclude<typeof name, 'contractAddress' | 'tokenId'> =>
    name !== 'contractAddress' && name !== 'tokenId',
);

export const ContractMetadata = record('ContractMetadata', 'An NFT contract’s metadata.', {
  id,
  ...carried,
  ...contractFields,
});
export type ContractMetadata = ValueOf<typeof ContractMetadata>;
export const ContractMetadataCreate = record('ContractMetadataCreate', 'New metadata for an NFT contract.', {
  ...carried,
  ...contractFields,
});
export type ContractMetadataCreate = ValueOf<typeof ContractMetadataCreate>;
export const TokenMetadata = record('TokenMetadata', 'A token’s metadata.', {
  id,
  ...carried,
  ...tokenFields,
});
export type TokenMetadata = ValueOf<typeof TokenMetadata>;
export const TokenMetadataCreate = record('TokenMetadataCreate', 'New metadata for a token.', {
  ...carried,
  ...tokenFields,
});
export type TokenMetadataCreate = ValueOf<typeof TokenMetadataCreate>;

/** A contract as stored: by chain id and lower-case address. */
export interface ContractKey {
  chainId: number;
  contract: string;
}

export interface ContractRow {
  chain_id: number;
  contract: string;
  created_by_id: string;
  content: ContractMetadataCreate;
  created_at: Date;
  updated_at: Date;
}

export interface TokenRow extends Omit<ContractRow, 'content'> {
  /** Decimal digits, because the value can exceed a JavaScript number. */
  token_id: string;
  content: TokenMetadataCreate;
}

export function readContractKey(
  { wallets }: Pick<Context, 'wallets'>,
  { chainId, address }: { chainId: string; address: string },
): ContractKey {
  const contract = wallets.evm.normalizeAddress(address, chainId)?.toLowerCase();
  if (contract === undefined)
    throw new AppError('INVALID_PARAMETER_VALUE', 'The address is not an EVM address, or its checksum is wrong.');
  return { chainId: Number(chainId), contract };
}

const maxTokenId = (1n << 256n) - 1n;

/**
 * Returns a token id in decimal. ERC-1155 lets clients put 64 hexadecimal digits without 0x into a URL, so anything but
 * a plain decimal number is parsed as hexadecimal.
 */
export function readTokenId(text: string): string {
  const isDecimal = /^(0|[1-9]\d*)$/.test(text);
  const isHex = /^0x[0-9a-fA-F]{1,64}$/.test(text) || /^[0-9a-fA-F]{64}$/.test(text);
  const value = isDecimal ? BigInt(text) : isHex ? BigInt(`0x${text.replace(/^0x/, '')}`) : undefined;
  if (value === undefined || value > maxTokenId)
    throw new AppError('INVALID_PARAMETER_VALUE', 'A token id must be an integer of at most 256 bits.');
  return value.toString();
}

export function toContract(row: ContractRow): ContractMetadata {
  return {
    ...row.content,
    ...keysOf(row, 'CONTRACT'),
    id: `${row.chain_id}:${row.contract}`,
    classifier: 'NFT_CONTRACT',
  };
}

export function toToken(row: TokenRow): TokenMetadata {
  return {
    ...row.content,
    ...keysOf(row, `TOKEN#${row.token_id}`),
    id: `${row.chain_id}:${row.contract}:${row.token_id}`,
    classifier: 'NFT_TOKEN',
    contractAddress: row.contract,
    tokenId: row.token_id,
  };
}

function keysOf(
  { chain_id, contract, created_at }: Pick<ContractRow, 'chain_id' | 'contract' | 'created_at'>,
  sk: string,
) {
  return { createdTime: created_at.toISOString(), pk: `NFT#${chain_id}#${contract}`, sk, classifierGroup: 'NFT' };
}
