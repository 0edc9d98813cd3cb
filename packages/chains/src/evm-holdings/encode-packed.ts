import { EndpointFault } from '../endpoints/index.ts';
import type { CallOutcome, EvmCall, ManyOutcomes } from './encode-calls.ts';
import type { Hex } from './node-rpc.ts';

/** Reads in the format of `ReadPacked.sol`, and the position of each of them. */
export interface PackedCalls {
  data: Hex;
  /** For each packed read, its index among the calls. */
  order: readonly number[];
}

const native = `${'0'.repeat(40)}${'0'.repeat(8)}00`;
const emptyBytes = '0'.repeat(24);
const maxTailDigits = 320;
const maxCount = 0xffff;

/**
 * Whether a read can be packed: a native balance, or a function whose first argument fits into 20 bytes. Members differ only in that
 * argument, rules in everything else.
 */
export function isPackable({ data }: EvmCall): boolean {
  if (data === '0x') return true;
  return data.length >= 74 && data.length <= 74 + maxTailDigits && data.startsWith(emptyBytes, 10);
}

/** Packs reads so that each member appears once for all functions that are called for the same members. */
export function packCalls(calls: readonly EvmCall[]): PackedCalls {
  const requestedWith = new Map<string, Map<string, number>>();
  for (const [index, call] of calls.entries()) {
    const argument = argumentOf(call);
    const functions = requestedWith.get(argument) ?? new Map<string, number>();
    requestedWith.set(argument, functions.set(functionOf(call), index));
  }
  const groups = Map.groupBy(requestedWith, ([, functions]) => [...functions.keys()].join(''));
  const order: number[] = [];
  let digits = '';
  for (const [functions, members] of groups) {
    for (let from = 0; from < members.length; from += maxCount) {
      const part = members.slice(from, from + maxCount);
      digits += hexOf(functions.length / 2, 3) + hexOf(part.length, 2) + functions;
      for (const [argument] of part) digits += argument;
      const indexes = part.map(([, places]) => [...places.values()]);
      for (const column of indexes[0]?.keys() ?? []) for (const places of indexes) order.push(places[column] ?? 0);
    }
  }
  return { data: `0x${digits}`, order };
}

function hexOf(value: number, bytes: number): string {
  return value.toString(16).padStart(2 * bytes, '0');
}

/** Everything in a read except its argument. */
function functionOf({ to, data }: EvmCall): string {
  if (data === '0x') return native;
  const tail = data.slice(74);
  return `${to.slice(2)}${data.slice(2, 10)}${hexOf(tail.length / 2, 1)}${tail}`;
}

function argumentOf({ to, data }: EvmCall): string {
  return data === '0x' ? to.slice(2) : data.slice(34, 74);
}

export function unpackOutcomes(answer: Hex, order: readonly number[]): ManyOutcomes {
  const digits = answer.slice(2);
  const outcomes: CallOutcome[] = [];
  let at = 192;
  for (const index of order) {
    const header = Number.parseInt(digits.slice(at, at + 4), 16);
    const length = 2 * (header & 0x7fff);
    const data = digits.slice(at + 4, at + 4 + length);
    if (Number.isNaN(header) || data.length !== length) throw malformed();
    outcomes[index] = { isReturned: header >= 0x8000, data };
    at += 4 + length;
  }
  if (at !== digits.length) throw malformed();
  const where = (place: number) => BigInt(`0x${digits.slice(64 * place, 64 * place + 64)}`);
  return { chainId: where(0), blockNumber: where(1), timestampSeconds: where(2), outcomes };
}

function malformed(): EndpointFault {
  return new EndpointFault('sent a response that cannot be decoded');
}
