import { walletNamespaceOf } from './chain-ids.ts';

/** A field of a rule that may name the asset. */
export type ReferenceField = 'contractAddress' | 'collectionName' | 'tokenSymbol' | 'eventId' | 'tokenId';

/** A kind of asset that rules support: its names on the wire, and what is read for it. */
export interface AssetKind {
  /** As the API writes it. Types and schemes are case-insensitive. */
  name: string;
  aliases?: readonly string[];
  /** Its chain: a fixed one, or any EVM chain by number. */
  chain: string | { evm: number | undefined };
  standard: string;
  /** The fields of a flat rule that may name it, in order of preference. */
  from: readonly ReferenceField[];
  /** The default if no field names it. */
  fallback?: string;
  form?: 'evm-address';
  tokenIds?: 'optional' | 'required';
  /** The namespaces of the asset part of its CAIP name, in lower case. */
  caip?: readonly string[];
  /** Several references, separated by commas, mean any of them. */
  takesLists?: boolean;
  /** Its CAIP name is valid on every chain. */
  anyChain?: boolean;
}

const mainnet = { evm: 1 } as const;
const bsc = { evm: 56 } as const;
const evm = { evm: undefined } as const;
const contract = ['contractAddress'] as const;
const address = { from: contract, form: 'evm-address' } as const;

/** Every kind that concerns holdings. `read-asset.ts` completes those that need more than a row here. */
export const assetKinds: readonly AssetKind[] = [
  { name: 'ERC20', chain: evm, standard: 'erc20', ...address, caip: ['erc20'] },
  { name: 'ERC721', chain: evm, standard: 'erc721', ...address, tokenIds: 'optional', caip: ['erc721'] },
  { name: 'ERC1155', chain: evm, standard: 'erc1155', ...address, tokenIds: 'required', caip: ['erc1155'] },
  { name: 'ERC777', aliases: ['SUPERFLUID'], chain: evm, standard: 'superfluid', ...address, caip: ['erc777'] },
  { name: 'BEP20', chain: bsc, standard: 'erc20', ...address, caip: ['bep20'] },
  { name: 'BEP721', chain: bsc, standard: 'erc721', ...address, tokenIds: 'optional', caip: ['bep721'] },
  { name: 'BEP1155', chain: bsc, standard: 'erc1155', ...address, tokenIds: 'required', caip: ['bep1155'] },
  { name: 'NATIVE', chain: evm, standard: 'native', from: [], fallback: 'currency', caip: ['native'], anyChain: true },
  {
    name: 'OPEN_SEA',
    aliases: ['OPENSEA'],
    chain: mainnet,
    standard: 'opensea',
    from: ['collectionName', 'contractAddress'],
    tokenIds: 'optional',
    caip: ['opensea'],
  },
  { name: 'ROLL', chain: mainnet, standard: 'roll', from: ['tokenSymbol', 'contractAddress'], caip: ['roll'] },
  {
    name: 'POAP',
    chain: 'poap:poap',
    standard: 'poap',
    from: ['eventId', 'tokenId'],
    caip: ['poap'],
    takesLists: true,
  },
  { name: 'MOLOCH', chain: evm, standard: 'moloch', ...address, caip: ['moloch'] },
  { name: 'MOCA', chain: mainnet, standard: 'moca', from: contract, fallback: 'room', caip: ['moca'] },
  {
    name: 'GALAXY',
    aliases: ['GALXE'],
    chain: 'galxe:galxe',
    standard: 'galxe',
    from: ['tokenId', 'contractAddress'],
    caip: ['galxe', 'campaign'],
    takesLists: true,
  },
  { name: 'staking', chain: mainnet, standard: 'staking', ...address, caip: ['staking'] },
  { name: 'gnosis', aliases: ['SAFE'], chain: evm, standard: 'safe', ...address, caip: ['gnosis', 'safe'] },
  {
    name: 'SOLANA_FT',
    chain: 'solana:mainnet-beta',
    standard: 'spl',
    from: contract,
    caip: ['ft', 'spl', 'token', 'solana_ft'],
  },
  {
    name: 'SOLANA_NFT',
    aliases: ['SOLANA'],
    chain: 'solana:mainnet-beta',
    standard: 'metaplex',
    from: contract,
    caip: ['nft'],
  },
  { name: 'FLOW_FT', chain: 'flow:mainnet', standard: 'ft', from: contract, caip: ['ft'] },
  {
    name: 'FLOW_NFT',
    aliases: ['FLOW'],
    chain: 'flow:mainnet',
    standard: 'nft',
    from: contract,
    tokenIds: 'optional',
    caip: ['nft'],
  },
  { name: 'TEZOS_FA1.2', chain: 'tezos:mainnet', standard: 'fa1.2', from: contract, caip: ['fa1.2'] },
  {
    name: 'TEZOS_FA2',
    aliases: ['TEZOS'],
    chain: 'tezos:mainnet',
    standard: 'fa2',
    from: contract,
    tokenIds: 'optional',
    caip: ['fa2'],
  },
  { name: 'RMRK', chain: 'polkadot:kusama', standard: 'rmrk', from: contract, tokenIds: 'optional', caip: ['rmrk'] },
  {
    name: 'IMMUTABLE_X',
    chain: 'immutable_x:mainnet',
    standard: 'immutable_x',
    ...address,
    tokenIds: 'optional',
    caip: ['immutable_x', 'erc721'],
  },
  { name: 'LOOPRING_FT', chain: 'loopring:mainnet', standard: 'ft', from: contract, caip: ['ft'] },
  {
    name: 'LOOPRING_NFT',
    chain: 'loopring:mainnet',
    standard: 'nft',
    from: contract,
    tokenIds: 'optional',
    caip: ['nft'],
  },
  { name: 'XRPL_FT', chain: 'xrpl:mainnet', standard: 'ft', from: contract, caip: ['ft'] },
  {
    name: 'XRPL_NFT',
    aliases: ['XRPL'],
    chain: 'xrpl:mainnet',
    standard: 'nft',
    from: contract,
    tokenIds: 'optional',
    caip: ['nft'],
  },
  { name: 'NIFTY', chain: 'nifty:mainnet', standard: 'nifty', from: contract, tokenIds: 'optional', caip: ['nifty'] },
  { name: 'twitter', chain: 'twitter:twitter', standard: 'profile', from: [], fallback: 'data', caip: ['profile'] },
  { name: 'CUSTOM_ABI', chain: evm, standard: 'call', ...address, caip: ['call', 'custom_abi'] },
  { name: 'TRUST_SWAP', chain: mainnet, standard: 'trustswap', from: [], fallback: 'swapscore', caip: ['trustswap'] },
  {
    name: 'NFTY.INK',
    chain: mainnet,
    standard: 'nfty.ink',
    from: contract,
    tokenIds: 'optional',
    caip: ['nfty.ink'],
  },
  { name: 'NEP141', aliases: ['NEAR_FT'], chain: 'near:mainnet', standard: 'nep141', from: contract, caip: ['nep141'] },
  {
    name: 'NEP171',
    aliases: ['NEAR_NFT'],
    chain: 'near:mainnet',
    standard: 'nep171',
    from: contract,
    tokenIds: 'optional',
    caip: ['nep171'],
  },
  {
    name: 'BITCOIN_ORDINALS',
    aliases: ['ORDINALS', 'ORDINAL'],
    chain: 'bitcoin:mainnet',
    standard: 'ordinals',
    from: ['collectionName', 'contractAddress'],
    fallback: 'inscriptions',
    tokenIds: 'optional',
    caip: ['ordinals'],
  },
  {
    name: 'BRC20',
    aliases: ['BRC-20'],
    chain: 'bitcoin:mainnet',
    standard: 'brc20',
    from: ['tokenSymbol', 'contractAddress'],
    caip: ['brc20', 'brc-20'],
  },
  {
    name: 'BITCOIN_STAMPS',
    aliases: ['STAMPS', 'STAMP'],
    chain: 'bitcoin:mainnet',
    standard: 'stamps',
    from: contract,
    fallback: 'stamps',
    tokenIds: 'optional',
    caip: ['stamps'],
  },
  {
    name: 'GITCOIN_PASSPORT',
    aliases: ['GITCOIN'],
    chain: 'gitcoin:passport',
    standard: 'score',
    from: contract,
    fallback: 'default',
    caip: ['score'],
  },
  {
    name: 'TON_JETTON',
    aliases: ['JETTON'],
    chain: 'ton:mainnet',
    standard: 'jetton',
    from: contract,
    caip: ['jetton'],
  },
  {
    name: 'TON_NFT',
    chain: 'ton:mainnet',
    standard: 'nft',
    from: contract,
    tokenIds: 'optional',
    caip: ['nft'],
  },
];

/** Kinds that do not concern holdings. */
export const otherKinds = ['GUESTPASS', 'role_composition', 'logic'] as const;

const byName = new Map(
  assetKinds.flatMap((kind) => [kind.name, ...(kind.aliases ?? [])].map((name) => [name.toUpperCase(), kind] as const)),
);

export function findKind(name: string): AssetKind | undefined {
  return byName.get(name.trim().toUpperCase());
}

/** Finds the kind of an asset by its CAIP namespaces, such as `evm` and `erc20`. */
export function findKindByCaip(namespace: string, assetNamespace: string): AssetKind | undefined {
  const wanted = assetNamespace.toLowerCase();
  return assetKinds.find((kind) => isOfNamespace(kind, namespace) && kind.caip?.includes(wanted));
}

/** Whether assets of this kind are on chains of the namespace. */
export function isOfNamespace({ chain, anyChain = false }: AssetKind, namespace: string): boolean {
  return anyChain || namespace === (typeof chain === 'string' ? chain.slice(0, chain.indexOf(':')) : 'evm');
}

const namespaces = new Set(
  assetKinds.map(({ chain }) => walletNamespaceOf(typeof chain === 'string' ? chain : 'evm:1')),
);

/** Whether wallets of this namespace can hold anything that rules support. */
export function isKnownNamespace(namespace: string): boolean {
  return namespaces.has(namespace);
}

export function knownKindNames(): string[] {
  return [...assetKinds.map(({ name }) => name), ...otherKinds];
}
