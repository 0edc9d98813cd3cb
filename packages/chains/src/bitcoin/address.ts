import { readInput } from '@latchkey/kernel';
import { NETWORK, TEST_NETWORK } from '@scure/btc-signer';
import { Address, OutScript } from '@scure/btc-signer/payment.js';

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

type BitcoinNetwork = typeof NETWORK;

const regtest: BitcoinNetwork = { ...TEST_NETWORK, bech32: 'bcrt' };

// Each network by name and by its CAIP-2 id, which is the first half of the genesis block hash. The test networks share one address format,
// and message signatures do not commit to a network.
const networks: ReadonlyMap<string, BitcoinNetwork> = new Map([
  ['mainnet', NETWORK],
  ['000000000019d6689c085ae165831e93', NETWORK],
  ['testnet', TEST_NETWORK],
  ['000000000933ea01ad0ee984209779ba', TEST_NETWORK],
  ['testnet4', TEST_NETWORK],
  ['00000000da84f2bafbbc53dee25a72ae', TEST_NETWORK],
  ['signet', TEST_NETWORK],
  ['00000008819873e925422c1ff0f99f7c', TEST_NETWORK],
  ['regtest', regtest],
  ['0f9188f13cb7b2c71f2a335e3a4fc328', regtest],
]);

export const bitcoinChains: readonly string[] = [...networks.keys()];

export function findNetwork(chain: string): BitcoinNetwork | undefined {
  return networks.get(chain);
}
