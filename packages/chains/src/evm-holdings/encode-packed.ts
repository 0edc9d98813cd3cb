import { EndpointFault } from '../endpoints/index.ts';
import type { CallOutcome, EvmCall, ManyOutcomes } from './encode-calls.ts';
import type { Hex } from './node-rpc.ts';

/** Reads in the form that `ReadPacked.sol` takes, and where each of them went. */
export interface PackedCalls {
  data: Hex;
  /** The place of each packed read among the calls. */
  order: readonly number[];
}

const native = `${'0'.repeat(40)}${'0'.repeat(8)}00`;
const emptyBytes = '0'.repeat(24);
const maxTailDigits = 320;
const maxCount = 0xffff;

/**
 * Whether a read can be packed: a native balance, or a function whose first argument fits into 20 bytes. Members differ in
 * that argument alone, so twenty bytes for each of them carry everything.
 */
export function isPackable({ data }: EvmCall): boolean {
  if (data === '0x') return true;
  return data.length >= 74 && data.length <= 74 + maxTailDigits && data.startsWith(emptyBytes, 10);
}

export function packCalls(calls: readonly EvmCall[]): PackedCalls {
  const groups = Map.groupBy(calls.keys(), (index) => headOf(calls[index]));
  const order: number[] = [];
  let digits = '';
  for (const [head, indexes] of groups) {
    for (let from = 0; from < indexes.length; from += maxCount) {
      const part = indexes.slice(from, from + maxCount);
      digits += head + part.length.toString(16).padStart(4, '0');
      for (const index of part) digits += argumentOf(calls[index]);
      order.push(...part);
    }
  }
  return { data: `0x${digits}`, order };
}

/** What reads have in common that differ only in their argument. */
function headOf(call: EvmCall | undefined): string {
  if (call === undefined || call.data === '0x') return native;
  const tail = call.data.slice(74);
  return `${call.to.slice(2)}${call.data.slice(2, 10)}${(tail.length / 2).toString(16).padStart(2, '0')}${tail}`;
}

function argumentOf(call: EvmCall | undefined): string {
  if (call === undefined) return '0'.repeat(40);
  return call.data === '0x' ? call.to.slice(2) : call.data.slice(34, 74);
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
  return new EndpointFault('sent an answer that cannot be decoded');
}
