import { listTokenIds, maxTokenIdItems } from '@latchkey/kernel';
import { type CaipAsset, parseCaipAsset } from './caip.ts';
import { chainOfId } from './chain-ids.ts';
import { completeAsset } from './complete-asset.ts';
import type { Definition } from './definition.ts';
import { type AssetKind, findKindByCaip, isOfNamespace, type ReferenceField } from './kinds.ts';
import type { Problems } from './problems.ts';
import { readTokenIds } from './read-filter.ts';
import type { Asset } from './rule.ts';

/** The asset that a rule names by CAIP, if it does: its own, or the one of its filter. */
export function readCaip({ asset, variables }: Definition, path: string, problems: Problems): CaipAsset | undefined {
  const filter = variables._filter;
  const inFilter = typeof filter === 'object' && filter !== null && 'asset' in filter ? filter.asset : undefined;
  const text = asset ?? variables._asset ?? inFilter;
  if (text === undefined || text === '') return undefined;
  const caip = typeof text === 'string' && text.length <= 2048 ? parseCaipAsset(text) : undefined;
  if (caip === undefined) {
    problems.add(`${path}/asset`, 'asset', 'an asset looks like evm:1/ERC20:0x… or evm:1/ERC721:0x…/7.');
  }
  return caip;
}

export function kindOfCaip(caip: CaipAsset): AssetKind | undefined {
  return findKindByCaip(caip.chain.slice(0, caip.chain.indexOf(':')), caip.namespace);
}

/** Reads which assets a rule of this kind is about. There are several when the kind takes lists. */
export function readAssets(
  definition: Definition,
  kind: AssetKind,
  caip: CaipAsset | undefined,
  path: string,
  problems: Problems,
): Asset[] {
  const chain = readChain(definition, kind, caip, path, problems);
  const reference = caip?.reference ?? readReference(definition, kind, path, problems);
  if (chain === undefined || reference === undefined) return [];
  const tokenIds = readIds(definition, kind, caip, path, problems);
  const references = kind.takesLists ? splitList(reference) : [reference];
  if (references.length > 50) problems.add(path, 'maxItems', `a rule of the kind ${kind.name} names at most 50.`);
  return references.slice(0, 50).flatMap((one) => {
    const asset = { chain, standard: kind.standard, reference: one, ...(tokenIds !== undefined && { tokenIds }) };
    return completeAsset(definition, kind, caip, asset, path, problems) ?? [];
  });
}

function readChain(
  { chainId }: Definition,
  kind: AssetKind,
  caip: CaipAsset | undefined,
  path: string,
  problems: Problems,
): string | undefined {
  const isOfKind = (chain: string) => isOfNamespace(kind, chain.slice(0, chain.indexOf(':')));
  if (caip !== undefined) {
    if (isOfKind(caip.chain)) return caip.chain;
    problems.add(`${path}/asset`, 'asset', `a rule of the kind ${kind.name} is not about assets on ${caip.chain}.`);
    return undefined;
  }
  // Services have one place, whatever number a rule carries along.
  if (typeof kind.chain === 'string' && !/^\d{13}$/.test(String(chainId ?? ''))) return kind.chain;
  const fallback = typeof kind.chain === 'string' ? kind.chain : kind.chain.evm;
  const chain = chainId === undefined ? fallback : chainId;
  if (chain === undefined) {
    problems.add(
      `${path}/chainId`,
      'required',
      `a rule of the kind ${kind.name} needs a chainId, like 1 for Ethereum.`,
    );
    return undefined;
  }
  const found = typeof chain === 'string' && chain.includes(':') ? chain : chainOfId(chain);
  if (found !== undefined && isOfKind(found)) return found;
  problems.add(`${path}/chainId`, 'chainId', `no chain for ${kind.name} has the id ${chain}.`);
  return undefined;
}

function readReference(definition: Definition, kind: AssetKind, path: string, problems: Problems): string | undefined {
  const field = kind.from.find((name) => textOf(definition[name]) !== '');
  const text = field === undefined ? (kind.fallback ?? '') : textOf(definition[field]);
  const place = field ?? kind.from[0] ?? 'asset';
  if (text === '') {
    problems.add(`${path}/${place}`, 'required', `a rule of the kind ${kind.name} needs ${namesOf(kind.from)}.`);
  } else if (text.length > 512) {
    problems.add(`${path}/${place}`, 'maxLength', 'this is longer than 512 characters.');
  } else return text;
  return undefined;
}

function readIds(
  definition: Definition,
  kind: AssetKind,
  caip: CaipAsset | undefined,
  path: string,
  problems: Problems,
): Asset['tokenIds'] {
  if (kind.tokenIds === undefined) return undefined;
  const filter = definition.variables._filter;
  const inFilter = typeof filter === 'object' && filter !== null && 'tokenId' in filter ? filter.tokenId : undefined;
  const value = caip?.tokenIds ?? definition.tokenId ?? inFilter;
  if (value === undefined || value === '') {
    if (kind.tokenIds === 'required') {
      problems.add(`${path}/tokenId`, 'required', `a rule of the kind ${kind.name} names the token ids that count.`);
    }
    return undefined;
  }
  const tokenIds = readTokenIds(value, `${path}/tokenId`, problems);
  if (kind.tokenIds !== 'required' || tokenIds === undefined || 'url' in tokenIds) return tokenIds;
  // Balances of these tokens are asked for one by one, so each must be known beforehand.
  if (tokenIds.items.every(({ kind: sort }) => sort !== 'glob') && listTokenIds(tokenIds) === undefined) {
    problems.add(`${path}/tokenId`, 'range', `these are more than ${maxTokenIdItems} token ids.`);
  }
  return tokenIds;
}

function namesOf(fields: readonly ReferenceField[]): string {
  return fields.length === 0 ? 'an asset' : fields.join(' or ');
}

function textOf(value: unknown): string {
  return typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : '';
}

function splitList(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((part) => part !== ''))];
}
