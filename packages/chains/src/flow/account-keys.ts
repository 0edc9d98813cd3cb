export type Curve = 'p256' | 'secp256k1';
export type HashName = 'sha2-256' | 'sha3-256';

/** An on-chain account key. An algorithm is undefined if accounts cannot sign with it. */
export interface AccountKey {
  index: number;
  /** Both coordinates of the point, 128 hexadecimal digits. */
  publicKey: string;
  curve: Curve | undefined;
  hash: HashName | undefined;
  weight: number;
  revoked: boolean;
}

/** Returns the keys of an account, or undefined if the chain has no such account. Throws if the chain could not be read. */
export type FindAccountKeys = (
  address: string,
  chain: string,
  signal?: AbortSignal,
) => Promise<AccountKey[] | undefined>;

// The access API and the client libraries punctuate these names differently, so punctuation is ignored.
const curves: ReadonlyMap<string, Curve> = new Map([
  ['ecdsap256', 'p256'],
  ['ecdsasecp256k1', 'secp256k1'],
]);
const hashes: ReadonlyMap<string, HashName> = new Map([
  ['sha2256', 'sha2-256'],
  ['sha3256', 'sha3-256'],
]);

export function curveOf(name: string): Curve | undefined {
  return curves.get(bare(name));
}

export function hashOf(name: string): HashName | undefined {
  return hashes.get(bare(name));
}

function bare(name: string): string {
  return name.replace(/[^a-zA-Z0-9]/g, '').toLowerCase();
}
