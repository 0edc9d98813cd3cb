import { hexToBytes } from '@noble/hashes/utils.js';
import { toChecksumAddress } from '../evm/checksum-address.ts';
import type { PolkadotNetwork } from './networks.ts';
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
