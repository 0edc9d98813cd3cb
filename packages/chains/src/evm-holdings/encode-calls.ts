import { EndpointFault } from '../endpoints/index.ts';
import { readManyCode } from './contracts/code.ts';
import type { Hex } from './node-rpc.ts';

/** One read. Without data, it reads the native balance of `to`. Addresses and data are in lower case. */
export interface EvmCall {
  to: Hex;
  data: Hex;
}

/** What a contract returned, in hexadecimal digits without `0x`. */
export interface CallOutcome {
  isReturned: boolean;
  data: string;
}

/** The outcomes of many reads, and the chain and block that the node says it read. */
export interface ManyOutcomes {
  chainId: bigint;
  blockNumber: bigint;
  timestampSeconds: bigint;
  outcomes: CallOutcome[];
}

const aggregate3 = '82ad56cb';
const getEthBalance = '4d2301cc';
// Every Multicall3 response begins with its chain and block. This exposes a node that returns zero for everything, or that answers for
// another chain or block.
const whereabouts: readonly Hex[] = ['0x3408e470', '0x42cbb15c', '0x0f28c97d'];

export function word(value: bigint | number): string {
  return value.toString(16).padStart(64, '0');
}

const emptyBytes = '0'.repeat(24);

export function addressWord(address: string): string {
  return emptyBytes + address.slice(2).toLowerCase();
}

/** Encodes many reads as one call of Multicall3's aggregate3. Written by hand, because an ABI library would take most of the time. */
export function encodeAggregate3(multicall: Hex, calls: readonly EvmCall[]): Hex {
  const all = [...whereabouts.map((data) => ({ to: multicall, data })), ...calls];
  const parts = all.map(({ to, data }) => {
    const [target, digits] = data === '0x' ? [multicall, getEthBalance + addressWord(to)] : [to, data.slice(2)];
    return `${addressWord(target)}${word(1)}${word(96)}${encodeBytes(digits)}`;
  });
  return `0x${aggregate3}${word(32)}${encodeList(parts)}`;
}

/** Encodes many reads as the creation of a contract that makes them and is thrown away. */
export function encodeReadMany(calls: readonly EvmCall[]): Hex {
  const parts = calls.map(({ to, data }) => `${addressWord(to)}${word(64)}${encodeBytes(data.slice(2))}`);
  return `0x${readManyCode.slice(2)}${word(32)}${encodeList(parts)}`;
}

function encodeBytes(digits: string): string {
  return word(digits.length / 2) + digits.padEnd(Math.ceil(digits.length / 64) * 64, '0');
}

function encodeList(parts: readonly string[]): string {
  let offset = parts.length * 32;
  const offsets = parts.map((part) => {
    const at = word(offset);
    offset += part.length / 2;
    return at;
  });
  return `${word(parts.length)}${offsets.join('')}${parts.join('')}`;
}

export function decodeAggregate3(answer: Hex, count: number): ManyOutcomes {
  const digits = answer.slice(2);
  const all = decodeOutcomes(digits, numberAt(digits, 0) * 2, count + whereabouts.length);
  const [chainId, blockNumber, timestampSeconds] = all.slice(0, whereabouts.length).map(({ isReturned, data }) => {
    if (!isReturned || data.length !== 64) throw malformed();
    return BigInt(`0x${data}`);
  });
  if (chainId === undefined || blockNumber === undefined || timestampSeconds === undefined) throw malformed();
  return { chainId, blockNumber, timestampSeconds, outcomes: all.slice(whereabouts.length) };
}

export function decodeReadMany(answer: Hex, count: number): ManyOutcomes {
  const digits = answer.slice(2);
  return {
    chainId: BigInt(`0x${wordAt(digits, 0)}`),
    blockNumber: BigInt(`0x${wordAt(digits, 64)}`),
    timestampSeconds: BigInt(`0x${wordAt(digits, 128)}`),
    outcomes: decodeOutcomes(digits, numberAt(digits, 192) * 2, count),
  };
}

function decodeOutcomes(digits: string, start: number, count: number): CallOutcome[] {
  if (numberAt(digits, start) !== count) throw malformed();
  const first = start + 64;
  return Array.from({ length: count }, (_, index) => {
    const at = first + numberAt(digits, first + 64 * index) * 2;
    const bytesAt = at + numberAt(digits, at + 64) * 2;
    const length = numberAt(digits, bytesAt) * 2;
    const data = digits.slice(bytesAt + 64, bytesAt + 64 + length);
    if (data.length !== length) throw malformed();
    return { isReturned: numberAt(digits, at) === 1, data };
  });
}

function wordAt(digits: string, at: number): string {
  const found = digits.slice(at, at + 64);
  if (found.length !== 64) throw malformed();
  return found;
}

/** Reads a word that counts bytes or items. Real values are far below what a number represents exactly. */
function numberAt(digits: string, at: number): number {
  const found = wordAt(digits, at);
  if (!found.startsWith('0'.repeat(54))) throw malformed();
  return Number.parseInt(found.slice(54), 16);
}

function malformed(): EndpointFault {
  return new EndpointFault('sent a response that cannot be decoded');
}
