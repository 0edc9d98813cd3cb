import { readInput } from '@latchkey/kernel';
import { base64 } from '@scure/base';
import { type BitString, Cell } from '@ton/core';

export type StateInitKey =
  | { kind: 'key'; publicKey: Uint8Array }
  /** Malformed, or of another account. */
  | { kind: 'foreign' }
  /** Of the account, but not of a wallet contract with a known layout. */
  | { kind: 'unknown-contract' };

const foreign: StateInitKey = { kind: 'foreign' };
const unknownContract: StateInitKey = { kind: 'unknown-contract' };

// The published contracts are far below 4 kilobytes; more would only cost time.
const longestText = 16_384;
// No split depth, no special flag, code, data, no libraries.
const codeAndDataOnly = [false, false, true, true, false];

function parseCell(text: unknown): Cell | undefined {
  if (typeof text !== 'string' || text.length > longestText) return undefined;
  const [root, ...others] = readInput(() => Cell.fromBoc(Buffer.from(base64.decode(text)))) ?? [];
  return others.length === 0 && root && !root.isExotic ? root : undefined;
}

function hasBits(bits: BitString, expected: readonly boolean[]): boolean {
  return bits.length === expected.length && expected.every((bit, place) => bits.at(place) === bit);
}

/** Reads the key from the data of a wallet contract; undefined if the data does not have the layout of the contract. */
export function readWalletKey(
  { bits }: Cell,
  { keyAtBit, dataBits, firstBit }: WalletContract,
): Uint8Array | undefined {
  if (bits.length !== dataBits || (firstBit !== undefined && bits.at(0) !== firstBit)) return undefined;
  const key = new Uint8Array(32);
  for (let bit = 0; bit < 256; bit++) {
    if (bits.at(keyAtBit + bit)) key[bit >> 3] = (key[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  }
  return key;
}

/**
 * Returns the public key that an account was created with, from its StateInit (a bag of cells in base64). An address is the hash of the
 * StateInit, so a StateInit with this hash cannot be forged; a key that is merely sent along proves nothing.
 */
export function findStateInitKey(stateInit: unknown, accountHash: Uint8Array): StateInitKey {
  const root = parseCell(stateInit);
  if (!root || Buffer.compare(root.hash(), accountHash) !== 0) return foreign;
  const [code, data] = root.refs;
  if (!code || !data || root.refs.length !== 2 || !hasBits(root.bits, codeAndDataOnly)) return unknownContract;
  const contract = walletContracts.get(code.hash().toString('hex'));
  const publicKey = contract && readWalletKey(data, contract);
  return publicKey ? { kind: 'key', publicKey } : unknownContract;
}

/** Where a wallet contract stores its public key in its initial data. */
interface WalletContract {
  keyAtBit: number;
  dataBits: number;
  /** The required value of the first bit, which allows the key to sign. */
  firstBit?: boolean;
}

const simple: WalletContract = { keyAtBit: 32, dataBits: 288 };
const version3: WalletContract = { keyAtBit: 64, dataBits: 320 };
const version4: WalletContract = { keyAtBit: 64, dataBits: 321 };
const version5Beta: WalletContract = { keyAtBit: 113, dataBits: 370, firstBit: false };
const version5: WalletContract = { keyAtBit: 65, dataBits: 322, firstBit: true };

/** The published wallet contracts by the hash of their code. None of them can change its key. */
export const walletContracts: ReadonlyMap<string, WalletContract> = new Map([
  ['a0cfc2c48aee16a271f2cfc0b7382d81756cecb1017d077faaab3bb602f6868c', simple], // v1r1
  ['d4902fcc9fad74698fa8e353220a68da0dcf72e32bcb2eb9ee04217c17d3062c', simple], // v1r2
  ['587cc789eff1c84f46ec3797e45fc809a14ff5ae24f1e0c7a6a99cc9dc9061ff', simple], // v1r3
  ['5c9a5e68c108e18721a07c42f9956bfb39ad77ec6d624b60c576ec88eee65329', simple], // v2r1
  ['fe9530d3243853083ef2ef0b4c2908c0abf6fa1c31ea243aacaa5bf8c7d753f1', simple], // v2r2
  ['b61041a58a7980b946e8fb9e198e3c904d24799ffa36574ea4251c41a566f581', version3], // v3r1
  ['84dafa449f98a6987789ba232358072bc0f76dc4524002a5d0918b9a75d2d599', version3], // v3r2
  ['64dd54805522c5be8a9db59cea0105ccf0d08786ca79beb8cb79e880a8d7322d', version4], // v4r1
  ['feb5ff6820e2ff0d9483e7e0d62c817d846789fb4ae580c878866d959dabd5c0', version4], // v4r2
  ['f3d7ca53493deedac28b381986a849403cbac3d2c584779af081065af0ac4b93', version5Beta], // v5 beta, as a library reference
  ['20834b7b72b112147e1b2fb457b84e74d1a30f04f737d4f62a668e9552d2b72f', version5], // v5r1
]);
