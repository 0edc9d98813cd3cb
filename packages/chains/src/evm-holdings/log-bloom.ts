import { keccak_256 } from '@noble/hashes/sha3.js';
import { hexToBytes } from '@noble/hashes/utils.js';
import { announcedTopics } from './announced-events.ts';
import { createBoundedMap } from './bounded-map.ts';
import type { BlockHeader, EvmLog, Hex } from './node-rpc.ts';

const bloomBits = 2048;
/** Three of the 2048 bits stand for each address and each topic (Yellow Paper, 4.3.1), here as one number. */
const bitsOf = createBoundedMap<number>(100_000);

function findBits(value: Hex): number {
  const known = bitsOf.get(value);
  if (known !== undefined) return known;
  const hash = keccak_256(hexToBytes(value.slice(2)));
  const [first = 0, second = 0, third = 0] = [0, 2, 4].map((at) => ((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0));
  const bits = ((first % bloomBits) * bloomBits + (second % bloomBits)) * bloomBits + (third % bloomBits);
  bitsOf.set(value, bits);
  return bits;
}

/** False only if the block has no log of this address or with this topic. */
function mayHold(bloom: Uint8Array, value: Hex): boolean {
  const bits = findBits(value);
  return (
    isSet(bloom, bits % bloomBits) &&
    isSet(bloom, Math.floor(bits / bloomBits) % bloomBits) &&
    isSet(bloom, Math.floor(bits / bloomBits ** 2))
  );
}

function isSet(bloom: Uint8Array, bit: number): boolean {
  return (((bloom[bloom.length - 1 - (bit >> 3)] ?? 0) >> (bit & 7)) & 1) === 1;
}

/** False only if the headers say that there is no announcement of any contract. */
export function mayAnnounce(headers: readonly BlockHeader[]): boolean {
  return headers.some(({ bloom }) => bloom !== undefined && hasTopic(hexToBytes(bloom.slice(2))));
}

function hasTopic(bloom: Uint8Array): boolean {
  return announcedTopics.some((topic) => mayHold(bloom, topic));
}

/** Where a header says that there may be an announcement of a contract, and the logs have none. */
export function findSilence(
  headers: readonly BlockHeader[],
  contracts: readonly Hex[],
  logs: readonly EvmLog[],
): { contract: Hex; number: bigint }[] {
  const told = new Set(logs.map(({ address, blockNumber }) => `${address} ${blockNumber}`));
  return headers.flatMap(({ number, bloom: text }) => {
    if (text === undefined) return [];
    const bloom = hexToBytes(text.slice(2));
    if (!hasTopic(bloom)) return [];
    return contracts
      .filter((contract) => mayHold(bloom, contract) && !told.has(`${contract} ${number}`))
      .map((contract) => ({ contract, number }));
  });
}
