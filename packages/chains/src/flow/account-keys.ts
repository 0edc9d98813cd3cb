export type Curve = 'p256' | 'secp256k1';
export type HashName = 'sha2-256' | 'sha3-256';

/** A key of an account as the chain holds it. An algorithm is undefined where accounts cannot sign with it. */
export interface AccountKey {
  index: number;
  /** Both coordinates of the point, 128 hexadecimal digits. */
  publicKey: string;
  curve: Curve | undefined;
  hash: HashName | undefined;
  weight: number;
  revoked: boolean;
}

/**
 * Looks up the keys of an account. Undefined means that the chain has no such account; throws when the chain could not
 * be asked or its answer could not be read.
 */
export type FindAccountKeys = (
  address: string,
  chain: string,
  signal?: AbortSignal,
) => Promise<AccountKey[] | undefined>;

// The access API and the client libraries spell these names differently, so they are compared without their marks.
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
