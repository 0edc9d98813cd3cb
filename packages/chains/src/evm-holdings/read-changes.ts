import type { HoldingChange } from '@latchkey/core/ports';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { hexToBytes } from '@noble/hashes/utils.js';
import { LRUCache } from 'lru-cache';
import { EndpointFault, EndpointRefusal } from '../endpoints/index.ts';
import { normalizeEvmAddress } from '../evm/address.ts';
import { toAddress, wordsOf } from './decode-words.ts';
import { topicOf, transferBatchTopic, transferSingleTopic, transferTopic } from './events.ts';
import type { BlockHeader, EvmLog, Hex, NodeRpc } from './node-rpc.ts';
import { stakingAdapters } from './staking-adapters.ts';
import { toCursor } from './walk-headers.ts';

const contractsPerQuery = 1_000;

/** Asks another node the same; undefined when none answers. */
export type SecondOpinion = <T>(question: (rpc: NodeRpc) => Promise<T>) => Promise<T | undefined>;

/** A stretch of blocks: all their headers, or after a long absence only the last one. */
export interface Stretch {
  from: bigint;
  headers: readonly BlockHeader[];
  /** Whether the node is asked about all contracts there are, which takes one question for any number. */
  asksAboutAll: boolean;
}

/** Whether these contracts are more than one question has room for. */
export function areMany(contracts: readonly string[]): boolean {
  return contracts.length > contractsPerQuery;
}

/** Whose holdings changed from a block up to the last of these headers, each account once a block. */
export async function readChanges(
  rpc: NodeRpc,
  contracts: readonly string[],
  stretch: Stretch,
  askAnother?: SecondOpinion,
): Promise<HoldingChange[]> {
  const spelling = spellingOf(contracts);
  const changes = new Map<string, HoldingChange>();
  for (const log of await readAnnouncements(rpc, spelling, stretch, askAnother)) {
    const contract = spelling.get(log.address);
    if (contract === undefined) continue;
    const block = toCursor({ number: log.blockNumber, hash: log.blockHash });
    for (const account of accountsOfLog(log)) {
      const change = { contract, account: normalizeEvmAddress(account) ?? account, block };
      changes.set(`${contract} ${account} ${log.blockHash}`, change);
    }
  }
  return [...changes.values()];
}

type Spelling = ReadonlyMap<string, string>;

// The list is the same one from block to block, and may have a hundred thousand contracts.
const spellings = new WeakMap<readonly string[], Spelling>();

function spellingOf(contracts: readonly string[]): Spelling {
  const known = spellings.get(contracts);
  if (known !== undefined) return known;
  const spelling = new Map(contracts.map((contract) => [contract.toLowerCase(), contract]));
  spellings.set(contracts, spelling);
  return spelling;
}

async function readAnnouncements(
  rpc: NodeRpc,
  contracts: Spelling,
  stretch: Stretch,
  askAnother: SecondOpinion | undefined,
): Promise<EvmLog[]> {
  const logs = await readLogs(rpc, contracts, stretch, askAnother);
  const hashOf = new Map(stretch.headers.map(({ number, hash }) => [number, hash]));
  const isForeign = logs.some(({ blockNumber, blockHash }) => (hashOf.get(blockNumber) ?? blockHash) !== blockHash);
  if (isForeign) throw new EndpointFault('reorganized during the request');
  return logs;
}

async function readLogs(
  rpc: NodeRpc,
  contracts: Spelling,
  stretch: Stretch,
  askAnother: SecondOpinion | undefined,
): Promise<EvmLog[]> {
  const { from, headers, asksAboutAll } = stretch;
  const to = headers.at(-1);
  if (to === undefined) return [];
  // A node that does not have the block refuses its hash, where it would give no logs for its number.
  const range = from === to.number ? { blockHash: to.hash } : { fromBlock: from, toBlock: to.number };
  if (asksAboutAll)
    try {
      return await readLogsOfAll(rpc, contracts, { headers, range }, askAnother);
    } catch (error) {
      // A single block with more logs than the node wants to tell is asked about by contract.
      if (!(error instanceof EndpointRefusal) || from !== to.number) throw error;
    }
  const addresses = [...contracts.keys()] as Hex[]; // Only addresses are announced.
  const logs: EvmLog[] = [];
  for (let at = 0; at < addresses.length; at += contractsPerQuery) {
    const address = addresses.slice(at, at + contractsPerQuery);
    const found = await rpc.logs({ address, topics: [announcedTopics] }, range);
    // A transfer that a node keeps to itself is heard of by nobody, and what was read before it counts for a day.
    const silent = askAnother === undefined ? [] : findSilence(headers, address, found);
    if (silent.length > 0) {
      const asked = [...new Set(silent.map(({ contract }) => contract))];
      const others = await askAnother?.((node) => node.logs({ address: asked, topics: [announcedTopics] }, range));
      const isTold = new Set(others?.map(placeOf));
      if (silent.some(({ contract, number }) => isTold.has(`${contract} ${number}`))) throw leftOut();
    }
    logs.push(...found);
  }
  return logs;
}

/** The announcements of all contracts there are, of which those that are followed count: one question for any number. */
async function readLogsOfAll(
  rpc: NodeRpc,
  contracts: Spelling,
  { headers, range }: { headers: readonly BlockHeader[]; range: Parameters<NodeRpc['logs']>[1] },
  askAnother: SecondOpinion | undefined,
): Promise<EvmLog[]> {
  const ask = async (node: NodeRpc) =>
    (await node.logs({ topics: [announcedTopics] }, range)).filter(({ address }) => contracts.has(address));
  const found = await ask(rpc);
  if (askAnother === undefined || !mayAnnounce(headers)) return found;
  const told = new Set(found.map(placeOf));
  const others = await askAnother(ask);
  if (others?.some((log) => !told.has(placeOf(log)))) throw leftOut();
  return found;
}

const placeOf = ({ address, blockNumber }: EvmLog) => `${address} ${blockNumber}`;
const leftOut = () => new EndpointFault('left out logs that another node has');

const bloomBits = 2048;
/** Three of the 2048 bits stand for each address and each topic (Yellow Paper, 4.3.1), here as one number. */
const bitsOf = new LRUCache<string, number>({ maxSize: 100_000, sizeCalculation: () => 1 });

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
function mayAnnounce(headers: readonly BlockHeader[]): boolean {
  return headers.some(({ bloom }) => bloom !== undefined && hasTopic(hexToBytes(bloom.slice(2))));
}

function hasTopic(bloom: Uint8Array): boolean {
  return announcedTopics.some((topic) => mayHold(bloom, topic));
}

/** Where a header says that there may be an announcement of a contract, and the logs have none. */
function findSilence(
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

// Wrapped coins come into being and vanish by these, without a transfer.
const wrappingTopics = ['Deposit(address,uint256)', 'Withdrawal(address,uint256)'].map(topicOf);
const stakingTopics = stakingAdapters.flatMap(({ events }) => events.map(topicOf));

/** Which topics of an event name accounts whose holding changed. */
const accountPlaces = new Map<Hex, readonly number[]>([
  [transferTopic, [1, 2]],
  [transferSingleTopic, [2, 3]],
  [transferBatchTopic, [2, 3]],
  ...[...wrappingTopics, ...stakingTopics].map((topic): [Hex, number[]] => [topic, [1]]),
]);

/** Enough for every event here with a word too many; what follows is not looked at. */
const mostWords = 8;

const announcedTopics: readonly Hex[] = [...accountPlaces.keys()];

/** How many words an event has, in its topics and data together, where that is fixed. */
const wordCounts = new Map<Hex, number>([
  [transferTopic, 3],
  [transferSingleTopic, 5],
]);

/**
 * The accounts whose holding of the contract may have changed by a log. One of an unusual form may name them anywhere, so
 * all that could be an account counts: reading too many again is harmless, missing one is not.
 */
function accountsOfLog({ topics: [event, ...fields], data }: EvmLog): Hex[] {
  const places = event === undefined ? undefined : accountPlaces.get(event);
  if (event === undefined || places === undefined) return [];
  // Some old collections put the accounts into the data instead.
  const words = [...fields.map((topic) => topic.slice(2)), ...wordsOf(data.slice(2))];
  const named = places.map((place) => toAddress(words[place - 1] ?? ''));
  const isUsual = !named.includes(undefined) && words.length === (wordCounts.get(event) ?? words.length);
  const accounts = isUsual ? named : words.slice(0, mostWords).map(toAddress);
  return [...new Set(accounts.flatMap((account) => account ?? []))].filter((account) => BigInt(account) !== 0n);
}
