import { isObject } from '../../../shared/is-object.ts';
import { readField, writeField } from '../fields.ts';
import type { Kind } from '../kinds.ts';
import type { Fields } from './node.ts';

const pattern = /^([-a-zA-Z0-9._]{2,16}):([-a-zA-Z0-9._]{1,32})\/[-a-zA-Z0-9._]{2,16}:([^/?]{1,384})(?:\/([^?]+))?$/;

/** The chains that a kind means without saying so. */
const usualChains: Readonly<Record<string, string>> = {
  bitcoin: 'mainnet',
  flow: 'mainnet',
  galxe: 'galxe',
  immutable_x: 'mainnet',
  loopring: 'mainnet',
  near: 'mainnet',
  nifty: 'mainnet',
  poap: 'poap',
  polkadot: 'kusama',
  solana: 'mainnet-beta',
  tezos: 'mainnet',
  ton: 'mainnet',
  xrpl: 'mainnet',
};

/**
 * The same condition with an input for each of its parts: chain, contract and tokens instead of one text that names them all,
 * and amounts instead of a filter that only holds amounts. What cannot be taken apart stays as it is.
 */
export function expand(fields: Fields, kind: Kind): Fields {
  return expandBalance(expandAsset(fields, kind), kind);
}

function expandAsset(fields: Fields, kind: Kind): Fields {
  const { asset, ...others } = fields;
  if (typeof asset !== 'string' || kind.start !== undefined) return fields;
  const [, namespace = '', chain = '', reference, tokenIds] = pattern.exec(asset.trim()) ?? [];
  const place = decode(reference);
  const ids = decode(tokenIds);
  if (place === undefined || (tokenIds !== undefined && ids === undefined)) return fields;
  const isEvm = namespace === 'evm' || namespace === 'eip155';
  const isHere = isEvm ? isChainOf(kind, chain) : usualChains[namespace] === chain;
  const name = (['contractAddress', 'collectionName', 'tokenSymbol', 'eventId'] as const).find(
    (field) => kind.fields.includes(field) || (field === 'contractAddress' && kind.hasToken),
  );
  const target = kind.name === 'GALAXY' ? 'tokenId' : name;
  if (!isHere || (target === undefined && kind.name !== 'NATIVE')) return fields;
  const hasChain = isEvm && (kind.hasToken === true || kind.fields.includes('chainId'));
  return {
    ...(others.type === undefined && others.scheme === undefined && { type: kind.name }),
    ...others,
    ...(hasChain && { chainId: Number(chain) }),
    ...(target !== undefined && { [target]: place }),
    ...(ids !== undefined && { tokenId: ids }),
  };
}

function isChainOf({ chainId }: Kind, chain: string): boolean {
  return /^[1-9]\d{0,14}$/.test(chain) && (chainId === undefined || chainId === Number(chain));
}

function expandBalance(fields: Fields, { hasTraits = false }: Kind): Fields {
  const filter = readField(fields, '_filter');
  const query = typeof fields.query === 'string' ? fields.query.replaceAll(/\s+/g, '') : '';
  if (query === '' && fields.query !== undefined && filter === undefined) {
    const { query: _, ...others } = fields;
    return others;
  }
  if (hasTraits && query === '#ownsTraits') return { ...fields, query: '$ownsTraits($, $_filter)' };
  if (query !== '$ownsBalance($,$_filter)' && query !== '#ownsBalance') return fields;
  if (!isObject(filter) || Object.keys(filter).some((name) => !['minCount', 'maxCount', 'tokenId'].includes(name)))
    return fields;
  const { query: _, version: __, minToken: ___, maxToken: ____, ...others } = writeField(fields, '_filter', undefined);
  return {
    ...others,
    ...(filter.minCount !== undefined && { minToken: filter.minCount }),
    ...(filter.maxCount !== undefined && { maxToken: filter.maxCount }),
    ...(filter.tokenId !== undefined && others.tokenId === undefined && { tokenId: filter.tokenId }),
  };
}

function decode(part: string | undefined): string | undefined {
  try {
    return part && decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
