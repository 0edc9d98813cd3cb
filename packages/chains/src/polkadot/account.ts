import { hexToBytes } from '@noble/hashes/utils.js';
import { toChecksumAddress } from '../evm/checksum-address.ts';
import { decodeSs58, encodeSs58 } from './ss58.ts';

/** An account of one chain. Signatures are verified against its bytes, never its text. */
export interface Account {
  kind: PolkadotNetwork['accounts'];
  bytes: Uint8Array;
  text: string;
}

// Extensions return addresses with this prefix unless a page requests another one.
const genericPrefix = 42;

/** Parses an address with the prefix of its chain or the generic one. The prefix of another chain is refused. */
export function parseAccount(address: string, network: PolkadotNetwork): Account | undefined {
  if (network.accounts === 'ethereum') return parseEthereumAccount(address);
  const decoded = decodeSs58(address);
  if (!decoded || (decoded.prefix !== network.prefix && decoded.prefix !== genericPrefix)) return undefined;
  // One key is one account on all chains, so it has one canonical form: otherwise two users could link it on different chains.
  const text = encodeSs58({ prefix: genericPrefix, account: decoded.account });
  return { kind: 'ss58', bytes: decoded.account, text };
}

/** Letters may be all lower case, all upper case or in EIP-55 form. Any other mixture is a mistyped address. */
function parseEthereumAccount(address: string): Account | undefined {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return undefined;
  const digits = address.slice(2);
  const bytes = hexToBytes(digits);
  const text = toChecksumAddress(bytes);
  const isPlain = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return isPlain || address === text ? { kind: 'ethereum', bytes, text } : undefined;
}

/** The account format of a chain: SS58 with its own prefix, or 20 bytes as on Ethereum. */
export type PolkadotNetwork = { accounts: 'ss58'; prefix: number } | { accounts: 'ethereum' };

const polkadot: PolkadotNetwork = { accounts: 'ss58', prefix: 0 };

const kusama: PolkadotNetwork = { accounts: 'ss58', prefix: 2 };

const astar: PolkadotNetwork = { accounts: 'ss58', prefix: 5 };

const acala: PolkadotNetwork = { accounts: 'ss58', prefix: 10 };

const westend: PolkadotNetwork = { accounts: 'ss58', prefix: 42 };

const ethereumLike: PolkadotNetwork = { accounts: 'ethereum' };

/** Each chain by name and by its CAIP-2 id, which is the first half of the genesis block hash. */
export const knownNetworks: Readonly<Record<string, PolkadotNetwork>> = {
  polkadot,
  '91b171bb158e2d3848fa23a9f1c25182': polkadot,
  'polkadot-asset-hub': polkadot,
  '68d56f15f85d3136970ec16946040bc1': polkadot,
  kusama,
  b0a8d493285c2df73290dfb7e61f870f: kusama,
  'kusama-asset-hub': kusama,
  '48239ef607d7928874027a43a6768920': kusama,
  astar,
  '9eb76c5184c4ab8679d2d5d819fdf90b': astar,
  acala,
  fc41b9bd8ef8fe53d58c7ea67c794c7e: acala,
  westend,
  e143f23803ac50e8f6f8e62695d1ce9e: westend,
  moonbeam: ethereumLike,
  fe58ea77779b7abda7da4ec526d14db9: ethereumLike,
  moonriver: ethereumLike,
  '401a1f9dca3da46f5c4091016c8a2f26': ethereumLike,
};
