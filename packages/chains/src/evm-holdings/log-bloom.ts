import { keccak_256 } from '@noble/hashes/sha3.js';
import { hexToBytes } from '@noble/hashes/utils.js';
import { announcedTopics } from './announced-events.ts';
import { createBoundedMap } from './bounded-map.ts';
import type { BlockHeader, EvmLog, Hex } from './node-rpc.ts';

const bloomBits = 2048;
/** Three bits of the 2048 stand for each address and each topic (Yellow Paper, 4.3.1). */
const bitsOf = createBoundedMap<readonly number[]>(20_000);

function findBits(value: Hex): readonly number[] {
  const known = bitsOf.get(value);
  if (known !== undefined) return known;
  const hash = keccak_256(hexToBytes(value.slice(2)));
  const bits = [0, 2, 4].map((at) => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) % bloomBits);
  bitsOf.set(value, bits);
  return bits;
}

/** False only if the block has no log of this address or with this topic. */
export function mayHold(bloom: Hex, value: Hex): boolean {
  return findBits(value).every((bit) => {
    const fromEnd = bit >> 2;
    const digit = Number.parseInt(bloom.at(-1 - fromEnd) ?? '0', 16);
    return ((digit >> (bit & 3)) & 1) === 1;
  });
}

/** Where a header says that there may be an announcement of a contract, and the logs have none. */
export function findSilence(
  headers: readonly BlockHeader[],
  contracts: readonly Hex[],
  logs: readonly EvmLog[],
): { contract: Hex; number: bigint }[] {
  const told = new Set(logs.map(({ address, blockNumber }) => `${address} ${blockNumber}`));
  return headers.flatMap(({ number, bloom }) => {
    if (bloom === undefined || !announcedTopics.some((topic) => mayHold(bloom, topic))) return [];
    return contracts
      .filter((contract) => !told.has(`${contract} ${number}`) && mayHold(bloom, contract))
      .map((contract) => ({ contract, number }));
  });
}
