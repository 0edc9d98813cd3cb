import {
  digitsOf,
  type Fields,
  fieldsOf,
  type JsonQuestion,
  listOf,
  Malformed,
  nameOf,
  requestJson,
  ServiceFailed,
  textOf,
} from '@latchkey/adapter-kit';
import { readPages } from '../../http-holdings/index.ts';
import type { Collectible } from './collectible.ts';

/** Reads an owner's collectibles that are not in a token account: compressed ones and those of Metaplex Core. */
export type ReadAssets = (owner: string, slot: bigint) => Promise<readonly Collectible[]>;

const service = 'The asset index';
const assetsPerPage = 1_000;
const maxPages = 20;
// About a minute of blocks. An index that is further behind may not have seen a sale yet.
const maxLagSlots = 150n;

/** Creates a reader of an index that supports Metaplex's Digital Asset Standard. */
export function createAssetIndex(
  url: string,
  options: Pick<JsonQuestion, 'fetch' | 'timeoutMs' | 'signal'>,
): ReadAssets {
  const tooMany = `${service} lists more assets for this owner than the read limit.`;
  return (owner, slot) =>
    readPages({ maxPages, tooMany }, async (page) => {
      const params = { ownerAddress: owner, page: page + 1, limit: assetsPerPage };
      const body = { jsonrpc: '2.0', id: 1, method: 'getAssetsByOwner', params };
      const reply = fieldsOf((await requestJson(url, { ...options, service, body })).body, 'the answer');
      if (reply.error !== undefined) throw new ServiceFailed(`${service} rejected the request.`);
      const { items, last_indexed_slot: indexed } = fieldsOf(reply.result, 'the list of assets');
      if (typeof indexed === 'number' && BigInt(digitsOf(indexed, 'the slot')) + maxLagSlots < slot) {
        throw new ServiceFailed(`${service} is behind the chain.`);
      }
      const list = listOf(items, 'the list of assets').map((item) => fieldsOf(item, 'an asset'));
      const rows = list.filter((asset) => isOnlyIndexed(asset, owner)).map(readAsset);
      return { rows, isLast: list.length < assetsPerPage };
    });
}

function isOnlyIndexed(asset: Fields, owner: string): boolean {
  if (fieldsOf(asset.ownership, 'the ownership').owner !== owner)
    throw new Malformed('an asset belongs to another owner');
  if (asset.burnt === true) return false;
  return optional(asset.compression).compressed === true || asset.interface === 'MplCoreAsset';
}

function readAsset(asset: Fields): Collectible {
  const { json_uri: uri, metadata } = optional(asset.content);
  const collection = rowsOf(asset.grouping).find((row) => row.group_key === 'collection' && row.verified !== false);
  const signed = rowsOf(asset.creators).filter((row) => row.verified === true);
  return {
    mint: nameOf(asset.id, 'the id of an asset'),
    creators: signed.map((row) => textOf(row.address, 'a creator')),
    ...(typeof uri === 'string' && uri !== '' && { uri }),
    ...(typeof collection?.group_value === 'string' && { collection: collection.group_value }),
    // An index that could not read the document omits the attributes.
    ...(Array.isArray(optional(metadata).attributes) && { document: optional(metadata) }),
  };
}

function rowsOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map((row) => fieldsOf(row, 'a row of an asset')) : [];
}

function optional(value: unknown): Fields {
  return value === undefined || value === null ? {} : fieldsOf(value, 'a part of an asset');
}
