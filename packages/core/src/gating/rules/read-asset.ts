import { isObject, listTokenIds, maxTokenIdItems, type TokenIdItem } from '@latchkey/kernel';
import { type CaipAsset, parseCaipAsset } from './caip.ts';
import { chainOfId } from './chain-ids.ts';
import { type AssetKind, findKindByCaip, isOfNamespace, type ReferenceField } from './kinds.ts';
import type { Problems } from './problems.ts';
import { readTokenIds } from './read-filter.ts';
import type { Asset } from './rule.ts';

/** Returns the asset that a rule names in CAIP notation, if any: its own, or the one in its filter. */
export function readCaip({ asset, variables }: Definition, path: string, problems: Problems): CaipAsset | undefined {
  const filter = variables._filter;
  const inFilter = typeof filter === 'object' && filter !== null && 'asset' in filter ? filter.asset : undefined;
  const text = asset ?? variables._asset ?? inFilter;
  if (text === undefined || text === '') return undefined;
  const caip = typeof text === 'string' && text.length <= 2048 ? parseCaipAsset(text) : undefined;
  if (caip === undefined) {
    problems.add(`${path}/asset`, 'asset', 'an asset must look like evm:1/ERC20:0x… or evm:1/ERC721:0x…/7.');
  }
  return caip;
}

export function kindOfCaip(caip: CaipAsset): AssetKind | undefined {
  return findKindByCaip(caip.chain.slice(0, caip.chain.indexOf(':')), caip.namespace);
}

/** Parses which assets a rule of this kind is about: several if the kind accepts lists. */
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
  if (references.length > 50) problems.add(path, 'maxItems', `rules of type ${kind.name} can list at most 50.`);
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
    problems.add(`${path}/asset`, 'asset', `rules of type ${kind.name} do not support assets on ${caip.chain}.`);
    return undefined;
  }
  // Services have a fixed chain, whatever chainId a rule has.
  if (typeof kind.chain === 'string' && !/^\d{13}$/.test(String(chainId ?? ''))) return kind.chain;
  const fallback = typeof kind.chain === 'string' ? kind.chain : kind.chain.evm;
  const chain = chainId === undefined ? fallback : chainId;
  if (chain === undefined) {
    problems.add(`${path}/chainId`, 'required', `rules of type ${kind.name} need a chainId, such as 1 for Ethereum.`);
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
    problems.add(`${path}/${place}`, 'required', `rules of type ${kind.name} need ${namesOf(kind.from)}.`);
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
      problems.add(`${path}/tokenId`, 'required', `rules of type ${kind.name} must list the token ids that count.`);
    }
    return undefined;
  }
  const tokenIds = readTokenIds(value, `${path}/tokenId`, problems);
  if (evmTokens.has(kind.standard) && tokenIds !== undefined && !('url' in tokenIds) && tokenIds.items.some(isTooLarge))
    problems.add(`${path}/tokenId`, 'range', 'a token id must be less than 2^256.');
  if (kind.tokenIds !== 'required' || tokenIds === undefined || 'url' in tokenIds) return tokenIds;
  // Balances of these tokens are read one by one, so every id must be known in advance.
  if (tokenIds.items.every(({ kind: sort }) => sort !== 'glob') && listTokenIds(tokenIds) === undefined) {
    problems.add(`${path}/tokenId`, 'range', `there can be at most ${maxTokenIdItems} token ids.`);
  }
  return tokenIds;
}

const evmTokens: ReadonlySet<string> = new Set(['erc721', 'erc1155']);

const idLimit = 2n ** 256n;

function isTooLarge(item: TokenIdItem): boolean {
  if (item.kind === 'glob') return false;
  // Numbers with more than 78 digits are kept as text.
  if (item.kind === 'id')
    return /^\d+$/.test(item.id) ? BigInt(item.id) >= idLimit : /^0x[0-9a-f]{65,}$/i.test(item.id);
  return (item.from ?? 0n) >= idLimit || (item.to ?? 0n) >= idLimit;
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

type Complete = (
  definition: Definition,
  caip: CaipAsset | undefined,
  asset: Asset,
  path: string,
  problems: Problems,
) => Asset | undefined;

/** What some kinds need beyond chain and reference. */
const completions: Readonly<Record<string, Complete>> = {
  ERC777: completeStream,
  staking: ({ collectionName }, _caip, asset) =>
    typeof collectionName === 'string' && collectionName !== ''
      ? { ...asset, details: { asset: collectionName } }
      : asset,
  SOLANA_NFT: completeMetaplex,
  CUSTOM_ABI: completeCall,
  RMRK: (_definition, _caip, asset) => ({ ...asset, reference: lastSegment(asset.reference) }),
  XRPL_FT: needsForm(/^.{3,40}\.r[1-9A-HJ-NP-Za-km-z]{24,34}$/, '<currency>.<issuer>'),
  XRPL_NFT: needsForm(/^r[1-9A-HJ-NP-Za-km-z]{24,34}(?:\.\d{1,10})?$/, '<issuer>.<taxon>'),
};

/** Completes an asset: the canonical form of its address, and what its standard needs. */
function completeAsset(
  definition: Definition,
  kind: AssetKind,
  caip: CaipAsset | undefined,
  asset: Asset,
  path: string,
  problems: Problems,
): Asset | undefined {
  if (kind.form === 'evm-address' && !/^0x[0-9a-fA-F]{40}$/.test(asset.reference)) {
    const field = caip === undefined ? 'contractAddress' : 'asset';
    problems.add(`${path}/${field}`, 'address', 'a contract address must be 0x followed by 40 hex digits.');
    return undefined;
  }
  const spelled = kind.form === 'evm-address' ? { ...asset, reference: asset.reference.toLowerCase() } : asset;
  return completions[kind.name]?.(definition, caip, spelled, path, problems) ?? spelled;
}

// An ERC777 token without a stream is read as an ERC20 token: the standard is a superset.
function completeStream({ variables }: Definition, _caip: unknown, asset: Asset, path: string, problems: Problems) {
  const { _to: to, _minMonthlyRate: rate } = variables;
  if (to === undefined && rate === undefined) return { ...asset, standard: 'erc20' };
  if (typeof to !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(to)) {
    problems.add(`${path}/variables/_to`, 'address', 'the stream receiver must be 0x followed by 40 hex digits.');
    return undefined;
  }
  return { ...asset, details: { to: to.toLowerCase() } };
}

const metaplexFilters = ['creators', 'masterEditions', 'mint', 'collection'];

// Flat rules have the filter in the contract field and the key in the token field; CAIP names have one after the other.
function completeMetaplex(
  { tokenId }: Definition,
  caip: CaipAsset | undefined,
  asset: Asset,
  path: string,
  problems: Problems,
): Asset | undefined {
  const by = metaplexFilters.find((name) => name.toLowerCase() === asset.reference.toLowerCase());
  if (by === undefined) return { ...asset, details: { by: 'collection' } };
  const key = caip?.tokenIds ?? tokenId;
  if (typeof key !== 'string' || !/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(key)) {
    problems.add(`${path}/tokenId`, 'address', `rules by ${by} need a Solana address as the tokenId.`);
    return undefined;
  }
  return { ...asset, reference: key, details: { by } };
}

function completeCall(
  { functionName, variables }: Definition,
  _caip: unknown,
  asset: Asset,
  path: string,
  problems: Problems,
): Asset | undefined {
  const name = functionName ?? variables._functionName ?? 'balanceOf';
  const { _args: args = ['$account'], _decimals: decimals = 0 } = variables;
  if (typeof name !== 'string' || !/^[A-Za-z_$][\w$]*(?:\([\w$ ,[\]]*\))?$/.test(name)) {
    problems.add(
      `${path}/functionName`,
      'pattern',
      'a function must be a name, optionally with types: shares(address).',
    );
    return undefined;
  }
  if (!Array.isArray(args) || args.length > 8 || !args.every((arg) => typeof arg === 'string' && arg.length <= 256)) {
    problems.add(
      `${path}/variables/_args`,
      'type',
      'arguments must be up to 8 strings; $account stands for the wallet.',
    );
    return undefined;
  }
  if (!Number.isInteger(decimals) || Number(decimals) < 0 || Number(decimals) > 77) {
    problems.add(`${path}/variables/_decimals`, 'range', 'decimals must be an integer from 0 to 77.');
    return undefined;
  }
  const signature = name.includes('(') ? name : `${name}(address)`;
  return { ...asset, details: { function: signature, args: JSON.stringify(args), decimals: String(decimals) } };
}

function needsForm(pattern: RegExp, form: string): Complete {
  return (_definition, _caip, asset, path, problems) => {
    if (pattern.test(asset.reference)) return asset;
    problems.add(`${path}/contractAddress`, 'pattern', `this asset must be written as ${form}.`);
    return undefined;
  };
}

function lastSegment(text: string): string {
  return (
    text
      .replace(/[?#].*$/, '')
      .replace(/\/+$/, '')
      .split('/')
      .at(-1) ?? text
  );
}

/** The fields of a rule as sent over the wire; only their presence has been checked. */
export interface Definition {
  id?: unknown;
  roleId?: unknown;
  type?: unknown;
  scheme?: unknown;
  version?: unknown;
  chainId?: string | number;
  contractAddress?: unknown;
  collectionName?: unknown;
  tokenSymbol?: unknown;
  tokenId?: unknown;
  eventId?: unknown;
  functionName?: unknown;
  swapScore?: unknown;
  minToken?: unknown;
  maxToken?: unknown;
  asset?: unknown;
  query?: unknown;
  requiresMetadata?: unknown;
  visibility?: unknown;
  variables: Readonly<Record<string, unknown>>;
}

const versions = ['1.0.0', '2.0.0', '2.1.0'];

/** Splits a rule into its parts. Adds a problem and returns undefined for anything but an object. */
export function readDefinition(value: unknown, path: string, problems: Problems): Definition | undefined {
  if (!isObject(value)) {
    problems.add(path, 'type', 'a rule must be an object.');
    return undefined;
  }
  const { variables = {}, chainId, ...fields } = dropNulls(value);
  if (!isObject(variables)) problems.add(`${path}/variables`, 'type', 'variables must be an object.');
  if (fields.version !== undefined && !versions.includes(String(fields.version))) {
    problems.add(`${path}/version`, 'enum', `the version must be one of ${versions.join(', ')}.`);
  }
  if (chainId !== undefined && typeof chainId !== 'number' && typeof chainId !== 'string') {
    problems.add(`${path}/chainId`, 'type', 'chainId must be a number.');
  }
  return {
    ...fields,
    ...((typeof chainId === 'number' || (typeof chainId === 'string' && chainId !== '')) && { chainId }),
    variables: isObject(variables) ? dropNulls(variables) : {},
  };
}

function dropNulls(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null && field !== undefined));
}
