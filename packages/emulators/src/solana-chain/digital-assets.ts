import { RpcError } from './rpc-error.ts';

/** The Digital Asset Standard's fields of an asset that gates use. */
export interface DigitalAsset {
  id: string;
  owner: string;
  /** `V1_NFT` (also compressed ones), `ProgrammableNFT`, `MplCoreAsset` … */
  interface?: string;
  isCompressed?: boolean;
  isBurnt?: boolean;
  name?: string;
  symbol?: string;
  uri?: string;
  attributes?: readonly { trait_type: string; value: unknown }[];
  collection?: string;
  creators?: readonly { address: string; verified: boolean; share: number }[];
}

const maxLimit = 1_000;

/** Returns a page of an owner's assets, like `getAssetsByOwner`. Its parameters are named. */
export function pageOfAssets(params: unknown, assets: readonly DigitalAsset[], slot: number): unknown {
  const { ownerAddress, page = 1, limit = maxLimit } = Object(Array.isArray(params) ? { ...params } : params);
  if (typeof ownerAddress !== 'string') throw new RpcError(-32602, 'ownerAddress is missing');
  if (!Number.isInteger(page) || page < 1) throw new RpcError(-32000, 'Pagination Error. Page must be at least 1.');
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit) {
    throw new RpcError(-32000, `Pagination Error. Limit should not be greater than ${maxLimit}.`);
  }
  const owned = assets.filter(({ owner }) => owner === ownerAddress);
  const items = owned.slice((page - 1) * limit, page * limit).map(writeAsset);
  return { last_indexed_slot: slot, total: items.length, limit, page, items };
}

function writeAsset(asset: DigitalAsset): unknown {
  const { name = '', symbol = '', uri = '', attributes, collection, creators = [], isCompressed = false } = asset;
  return {
    interface: asset.interface ?? 'V1_NFT',
    id: asset.id,
    content: {
      $schema: 'https://schema.metaplex.com/nft1.0.json',
      json_uri: uri,
      files: [],
      metadata: { name, symbol, ...(attributes && { attributes }) },
      links: {},
    },
    authorities: [],
    compression: {
      eligible: false,
      compressed: isCompressed,
      data_hash: '',
      creator_hash: '',
      asset_hash: '',
      tree: '',
      seq: 0,
      leaf_id: 0,
    },
    grouping: collection === undefined ? [] : [{ group_key: 'collection', group_value: collection }],
    royalty: {
      royalty_model: 'creators',
      target: null,
      percent: 0,
      basis_points: 0,
      primary_sale_happened: false,
      locked: false,
    },
    creators,
    ownership: { frozen: false, delegated: false, delegate: null, ownership_model: 'single', owner: asset.owner },
    supply: null,
    mutable: true,
    burnt: asset.isBurnt ?? false,
  };
}
