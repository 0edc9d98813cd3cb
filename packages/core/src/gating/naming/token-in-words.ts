import { evmNetworks, type TokenPlace } from '../evm/index.ts';
import { parseCaipAsset } from '../rules/index.ts';
import { plainName } from './plain-name.ts';
import { shortReference } from './short-reference.ts';

/** What is no token of a chain, by the standard that names it. */
const services: Readonly<Record<string, (reference: string) => string>> = {
  POAP: (drop) => `POAP drop ${drop}`,
  GALXE: (campaign) => `Galxe campaign ${campaign}`,
  SCORE: () => 'Gitcoin Passport points',
  TRUSTSWAP: () => 'SwapScore points',
  MOCA: () => 'staked MOCA',
  PROFILE: () => 'the X account',
  OPENSEA: (collection) => `NFT of ${collection} on OpenSea`,
};

const [tokens, collectibles] = ['of the token', 'NFT of'];

/** What stands before the contract, mint or collection of a token without a symbol. EVM standards are known by their names. */
const kinds: Readonly<Record<string, string>> = {
  FT: tokens,
  SPL: tokens,
  NEP141: tokens,
  'FA1.2': tokens,
  FA2: tokens,
  JETTON: 'of the jetton',
  BRC20: 'of the BRC-20 token',
  NFT: collectibles,
  METAPLEX: collectibles,
  NEP171: collectibles,
  RMRK: collectibles,
  IMMUTABLE_X: collectibles,
  NIFTY: collectibles,
  ORDINALS: 'Ordinal of',
  STAMPS: 'Stamp of',
};

const chains: Readonly<Record<string, string>> = {
  immutable_x: 'Immutable X',
  near: 'NEAR',
  nifty: 'Nifty Gateway',
  polkadot: 'Kusama',
  ton: 'TON',
  xrpl: 'XRP Ledger',
};

/** What people call the token of a condition, as it stands behind a number: `CAT on Ethereum`. */
export function tokenInWords(asset: string, symbolOf: (token: TokenPlace) => string | undefined): string {
  const parsed = parseCaipAsset(asset);
  if (parsed === undefined) return plainName(asset);
  const { chain, namespace, reference, tokenIds } = parsed;
  const service = services[namespace];
  if (service !== undefined) return service(plainName(shortReference(reference)));
  const symbol = plainName(symbolOf({ chain, contract: reference }) ?? '');
  const kind =
    namespace === 'NATIVE' ? 'of the native currency' : `${kinds[namespace] ?? namespace} ${shortReference(reference)}`;
  const ids = tokenIds === undefined ? '' : ` #${plainName(tokenIds)}`;
  return `${symbol || plainName(kind)}${ids} on ${chainInWords(chain)}`;
}

/** The chain that comes with the sample community, and the usual number of development chains. */
const localChain = 'evm:31337';

/** What people call a chain. */
export function chainInWords(chain: string): string {
  const [namespace = '', reference = ''] = chain.split(':');
  const network = namespace === 'evm' ? evmNetworks.find(({ chainId }) => String(chainId) === reference) : undefined;
  if (network !== undefined) return network.description;
  if (chain === localChain) return 'Local test chain';
  return namespace === 'evm'
    ? `EVM chain ${reference}`
    : (chains[namespace] ?? plainName(namespace.charAt(0).toUpperCase() + namespace.slice(1)));
}
