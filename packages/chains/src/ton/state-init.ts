import { readInput } from '@latchkey/kernel';
import { base64 } from '@scure/base';
import { type BitString, Cell } from '@ton/core';
import { type WalletContract, walletContracts } from './wallet-contracts.ts';

export type StateInitKey =
  | { kind: 'key'; publicKey: Uint8Array }
  /** It is malformed, or of another account. */
  | { kind: 'foreign' }
  /** It is of the account, but not of a wallet contract whose layout is known. */
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

/** The key in the data of a wallet contract, or undefined when the data is not as this contract has it. */
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
 * The public key that an account was made with, read from its StateInit (a bag of cells in base64). An address is the hash of
 * the StateInit, so one with this hash cannot have been made up; a key that is merely sent along proves nothing.
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
