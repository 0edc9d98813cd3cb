import { readInput } from '@latchkey/kernel';
import { Address, OutScript } from '@scure/btc-signer/payment.js';
import { findNetwork } from './networks.ts';

const ownedKinds = ['pkh', 'sh', 'wpkh', 'wsh', 'tr'] as const;

export interface BitcoinAddress {
  kind: (typeof ownedKinds)[number];
  /** The canonical form: base58 unchanged, Bech32 in lower case. */
  text: string;
  /** The script of an output that pays to this address. */
  script: Uint8Array;
}

/** Parses an address that a key can own. Returns undefined for other text and for addresses of other networks. */
export function parseAddress(address: string, chain: string): BitcoinAddress | undefined {
  const network = findNetwork(chain);
  if (!network) return undefined;
  const coder = Address(network);
  // The library throws when the checksum, the length, the network or the witness version is wrong.
  return readInput(() => {
    const decoded = coder.decode(address);
    const kind = ownedKinds.find((owned) => owned === decoded.type);
    return kind && { kind, text: coder.encode(decoded), script: OutScript.encode(decoded) };
  });
}
