import type { CaipAsset } from './caip.ts';
import type { Definition } from './definition.ts';
import type { AssetKind } from './kinds.ts';
import type { Problems } from './problems.ts';
import type { Asset } from './rule.ts';

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

/** Finishes an asset: one spelling of its address, and what its standard needs besides. */
export function completeAsset(
  definition: Definition,
  kind: AssetKind,
  caip: CaipAsset | undefined,
  asset: Asset,
  path: string,
  problems: Problems,
): Asset | undefined {
  if (kind.form === 'evm-address' && !/^0x[0-9a-fA-F]{40}$/.test(asset.reference)) {
    const field = caip === undefined ? 'contractAddress' : 'asset';
    problems.add(`${path}/${field}`, 'address', 'the address of a contract is 0x and 40 hex digits.');
    return undefined;
  }
  const spelled = kind.form === 'evm-address' ? { ...asset, reference: asset.reference.toLowerCase() } : asset;
  return completions[kind.name]?.(definition, caip, spelled, path, problems) ?? spelled;
}

// An ERC777 token without a stream is an ERC20 token: the standard is a superset.
function completeStream({ variables }: Definition, _caip: unknown, asset: Asset, path: string, problems: Problems) {
  const { _to: to, _minMonthlyRate: rate } = variables;
  if (to === undefined && rate === undefined) return { ...asset, standard: 'erc20' };
  if (typeof to !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(to)) {
    problems.add(`${path}/variables/_to`, 'address', 'the receiver of the stream is 0x and 40 hex digits.');
    return undefined;
  }
  return { ...asset, details: { to: to.toLowerCase() } };
}

const metaplexFilters = ['creators', 'masterEditions', 'mint', 'collection'];

// Flat rules write the filter as the contract and the key as the token; CAIP names write them one after the other.
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
    problems.add(`${path}/tokenId`, 'address', `rules by ${by} name a Solana address as the tokenId.`);
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
    problems.add(`${path}/functionName`, 'pattern', 'a function is a name, or a name and its types: shares(address).');
    return undefined;
  }
  if (!Array.isArray(args) || args.length > 8 || !args.every((arg) => typeof arg === 'string' && arg.length <= 256)) {
    problems.add(`${path}/variables/_args`, 'type', 'arguments are up to 8 texts; $account stands for the wallet.');
    return undefined;
  }
  if (!Number.isInteger(decimals) || Number(decimals) < 0 || Number(decimals) > 77) {
    problems.add(`${path}/variables/_decimals`, 'range', 'decimals are a whole number from 0 to 77.');
    return undefined;
  }
  const signature = name.includes('(') ? name : `${name}(address)`;
  return { ...asset, details: { function: signature, args: JSON.stringify(args), decimals: String(decimals) } };
}

function needsForm(pattern: RegExp, form: string): Complete {
  return (_definition, _caip, asset, path, problems) => {
    if (pattern.test(asset.reference)) return asset;
    problems.add(`${path}/contractAddress`, 'pattern', `this asset is written as ${form}.`);
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
