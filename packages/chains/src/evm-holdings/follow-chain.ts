import type { ChainCursor, ChainFollower, ChainStep, HoldingChange } from '@latchkey/core/ports';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { hexToBytes } from '@noble/hashes/utils.js';
import { LRUCache } from 'lru-cache';
import { type Endpoint, EndpointFault, EndpointRefusal, EndpointsFailed } from '../endpoints/index.ts';
import { normalizeEvmAddress } from '../evm/address.ts';
import { toAddress, wordsOf } from './decode-words.ts';
import { topicOf, transferBatchTopic, transferSingleTopic, transferTopic } from './events.ts';
import { createEvmChains, type EvmChain, type EvmChainsOptions } from './evm-chain.ts';
import type { BlockHeader, EvmLog, Hex, NodeRpc } from './node-rpc.ts';
import { toHexAddress } from './reading.ts';
import { stakingAdapters } from './staking-adapters.ts';
import {
  findAncestor,
  forgetHeaders,
  readHeader,
  type SeenHeaders,
  standsOn,
  toCursor,
  walkDown,
} from './walk-headers.ts';

export interface EvmFollowerOptions extends EvmChainsOptions {
  /** Staking contracts known to emit events when stakes change, as `<chain>:<address>`: `1:0x5954…`. */
  announcingStakings?: ReadonlySet<string> | undefined;
  /** How many blocks to pass in one step after long downtime. */
  blocksPerStep?: number | undefined;
}

/** The most blocks for which a node is queried about all contracts at once. */
const mostBlocksForAll = 16;
const announcedStandards = ['erc20', 'erc721', 'erc1155', 'bep20', 'bep721', 'bep1155'];

/** Follows EVM chains by their logs. A step usually takes one header and one log query, and one header while idle. */
export function createEvmFollower(options: EvmFollowerOptions): ChainFollower {
  const findChain = createEvmChains(options);
  const { announcingStakings = new Set(), blocksPerStep = 1_000 } = options;
  const stakings = new Set([...announcingStakings].map((staking) => staking.toLowerCase()));
  const seenOf = new Map<string, SeenHeaders>();
  const idleAt = new Map<string, string>();
  /** A failed step is retried by contract address: the response for all contracts may be too large, or take too long. */
  const blocksForAll = new Map<string, number>();

  return {
    announces: ({ chain, standard, reference }) => {
      const found = findChain(chain);
      if (found === undefined || toHexAddress(reference) === undefined) return false;
      if (standard === 'staking') return stakings.has(`${found.chainId}:${reference.toLowerCase()}`);
      return announcedStandards.includes(standard);
    },

    start: async (name, depth, signal) => {
      const chain = findChain(name);
      if (chain === undefined) return undefined;
      try {
        return await askOneNode(chain, signal, async (rpc, newest) => {
          const number = newest.number - BigInt(depth);
          return toCursor(depth === 0 ? newest : await readHeader(rpc, number < 0n ? 0n : number));
        });
      } catch {
        return undefined;
      }
    },

    next: async (name, { signal, ...request }) => {
      const chain = findChain(name);
      if (chain === undefined) return { kind: 'unknown', reason: `No node is configured for ${name}.` };
      const seen = seenOf.get(chain.name) ?? new Map();
      seenOf.set(chain.name, seen);
      const width = blocksForAll.get(chain.name) ?? mostBlocksForAll;
      try {
        return await askOneNode(chain, signal, async (rpc, newest, endpoint) => {
          // Nothing can have changed while the newest block is the same.
          const state = `${newest.hash} ${request.passed[0]?.hash} ${request.depth}`;
          if (idleAt.get(chain.name) === state) return { kind: 'waiting' };
          seen.set(newest.number, newest);
          const askAnother = anotherThan(chain, endpoint, signal);
          const step = await takeStep({
            ...request,
            rpc,
            seen,
            newest,
            blocksPerStep,
            blocksForAll: width,
            askAnother,
          });
          if (step.kind === 'waiting') idleAt.set(chain.name, state);
          if (step.kind === 'advanced') {
            forgetHeaders(seen, BigInt(step.to.number));
            blocksForAll.set(chain.name, Math.min(Math.max(1, 2 * width), mostBlocksForAll));
          }
          return step;
        });
      } catch (error) {
        blocksForAll.set(chain.name, 0);
        const reason = error instanceof EndpointsFailed ? error.message : 'The node sent an unusable response.';
        return { kind: 'unknown', reason };
      }
    },
  };
}

/** Sends all requests of a step to one node, because a step must see one consistent chain. A node that is behind is not trusted. */
function askOneNode<T>(
  { pool, rpc }: EvmChain,
  signal: AbortSignal | undefined,
  ask: (rpc: NodeRpc, newest: BlockHeader, endpoint: Endpoint) => Promise<T>,
): Promise<T> {
  return pool.ask(
    async (endpoint, abort) => {
      const node = rpc(endpoint, abort);
      const newest = await node.header('latest');
      if (newest === undefined) throw new EndpointFault('has no newest block');
      pool.sawBlock(endpoint, newest.number);
      if (pool.isStale(endpoint)) throw new EndpointFault('is behind the newest block');
      return ask(node, newest, endpoint);
    },
    { includeStale: true, kind: 'step', signal },
  );
}

function anotherThan({ pool, rpc }: EvmChain, { url }: Endpoint, signal?: AbortSignal): SecondOpinion | undefined {
  if (pool.independent < 2) return undefined;
  return async (question) => {
    const ask = async (endpoint: Endpoint, abort: AbortSignal) =>
      endpoint.url === url ? undefined : { answer: await question(rpc(endpoint, abort)) };
    // Where no other node responds, a single node is enough: following continues with the last one that works.
    const answers = await pool.collect(ask, { want: 2, kind: 'second opinion', signal }).catch(() => []);
    return answers.find(({ value }) => value !== undefined)?.value?.answer;
  };
}

interface Step {
  rpc: NodeRpc;
  seen: SeenHeaders;
  newest: BlockHeader;
  /** Newest first. */
  passed: readonly ChainCursor[];
  contracts: readonly string[];
  depth: number;
  blocksPerStep: number;
  /** For many contracts: how many blocks to query at once for all contracts. Zero queries by contract address. */
  blocksForAll: number;
  /** Present if there is another node to query. */
  askAnother?: SecondOpinion | undefined;
}

// Headers are walked one by one only near the newest block: deeper blocks are not reorganized.
const widestWalk = 128n;

/** Takes one step from the last passed block towards the configured depth below the newest one. */
async function takeStep(step: Step): Promise<ChainStep> {
  const [last] = step.passed;
  if (last === undefined) return { kind: 'unknown', reason: 'The starting block is unknown.' };
  const distance = step.newest.number - BigInt(last.number);
  if (distance <= 0n) return lookAround(step);
  return distance <= widestWalk ? stepNear(step, last) : stepFar(step, last);
}

/**
 * The newest block is not above the last passed one. Either the node is behind, which means nothing, or it has a different block in place
 * of one that was passed.
 */
async function lookAround(step: Step): Promise<ChainStep> {
  const [highest] = step.passed.filter(({ number }) => BigInt(number) <= step.newest.number);
  if (highest === undefined) return { kind: 'unknown', reason: 'The node is far behind the blocks that were passed.' };
  const ancestor = await findAncestor(step.rpc, step.seen, step.newest, step.passed);
  if (ancestor === undefined) return lost;
  return ancestor === highest ? { kind: 'waiting' } : { kind: 'reorganised', ancestor };
}

async function stepNear(step: Step, last: ChainCursor): Promise<ChainStep> {
  const { rpc, seen, newest, passed, depth } = step;
  const headers = await walkDown(rpc, seen, newest, BigInt(last.number));
  const [first = newest] = headers;
  if (!(await standsOn(rpc, first, last))) {
    const ancestor = await findAncestor(rpc, seen, first, passed);
    return ancestor === undefined ? lost : { kind: 'reorganised', ancestor };
  }
  const asksAboutAll = areMany(step.contracts) && step.blocksForAll > 0;
  let wanted = headers.filter(({ number }) => number <= newest.number - BigInt(depth));
  if (asksAboutAll) wanted = wanted.slice(0, step.blocksForAll);
  for (;;) {
    const to = wanted.at(-1);
    if (to === undefined) return { kind: 'waiting' };
    const changes = await tryChanges(step, { from: first.number, headers: wanted, asksAboutAll });
    if (changes) return { kind: 'advanced', to: toCursor(to), blocks: wanted.map(toCursor), changes };
    wanted = wanted.slice(0, Math.ceil(wanted.length / 2));
  }
}

/** Catches up after long downtime in whole ranges, of which only the last block is remembered. */
async function stepFar(step: Step, last: ChainCursor): Promise<ChainStep> {
  const { rpc, seen, newest, passed, depth } = step;
  const lastNumber = BigInt(last.number);
  const now = await readHeader(rpc, lastNumber);
  if (now.hash !== last.hash.toLowerCase()) {
    const ancestor = await findAncestor(rpc, seen, now, passed);
    return ancestor === undefined ? lost : { kind: 'reorganised', ancestor };
  }
  let blocks = newest.number - BigInt(depth) - lastNumber;
  if (blocks > BigInt(step.blocksPerStep)) blocks = BigInt(step.blocksPerStep);
  while (blocks > 0n) {
    const end = await readHeader(rpc, lastNumber + blocks);
    const changes = await tryChanges(step, { from: lastNumber + 1n, headers: [end], asksAboutAll: false });
    if (changes) return { kind: 'advanced', to: toCursor(end), blocks: [toCursor(end)], changes };
    blocks = (blocks + 1n) / 2n;
  }
  return { kind: 'waiting' };
}

const lost: ChainStep = { kind: 'lost' };

/** Returns undefined if the node refuses to return that many logs at once. */
async function tryChanges({ rpc, contracts, askAnother }: Step, stretch: Stretch) {
  try {
    return await readChanges(rpc, contracts, stretch, askAnother);
  } catch (error) {
    const { from, headers } = stretch;
    if (error instanceof EndpointRefusal && (headers.at(-1)?.number ?? from) > from) return undefined;
    throw error;
  }
}

const contractsPerQuery = 1_000;

/** Sends the same request to another node. Returns undefined if none responds. */
type SecondOpinion = <T>(question: (rpc: NodeRpc) => Promise<T>) => Promise<T | undefined>;

/** A range of blocks: all their headers, or after long downtime only the last one. */
interface Stretch {
  from: bigint;
  headers: readonly BlockHeader[];
  /** Whether to query the logs of all contracts, which takes one request for any number of them. */
  asksAboutAll: boolean;
}

/** Whether there are more contracts than fit into one request. */
function areMany(contracts: readonly string[]): boolean {
  return contracts.length > contractsPerQuery;
}

/** Returns the accounts whose holdings changed from a block up to the last of these headers, each once per block. */
async function readChanges(
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
  // A node that does not have the block refuses its hash, but would return no logs for its number.
  const range = from === to.number ? { blockHash: to.hash } : { fromBlock: from, toBlock: to.number };
  if (asksAboutAll)
    try {
      return await readLogsOfAll(rpc, contracts, { headers, range }, askAnother);
    } catch (error) {
      // A single block with more logs than the node returns at once is queried by contract address.
      if (!(error instanceof EndpointRefusal) || from !== to.number) throw error;
    }
  const addresses = [...contracts.keys()] as Hex[]; // Every followed contract is an address.
  const logs: EvmLog[] = [];
  for (let at = 0; at < addresses.length; at += contractsPerQuery) {
    const address = addresses.slice(at, at + contractsPerQuery);
    const found = await rpc.logs({ address, topics: [announcedTopics] }, range);
    // If a node hides a transfer, the change goes unnoticed, and the previous read counts for a day.
    const silent = askAnother === undefined ? [] : findSilence(headers, address, found);
    if (silent.length > 0) {
      const requested = [...new Set(silent.map(({ contract }) => contract))];
      const others = await askAnother?.((node) => node.logs({ address: requested, topics: [announcedTopics] }, range));
      const isReported = new Set(others?.map(placeOf));
      if (silent.some(({ contract, number }) => isReported.has(`${contract} ${number}`))) throw leftOut();
    }
    logs.push(...found);
  }
  return logs;
}

/** Reads the logs of all contracts and keeps those of followed ones: one request for any number. */
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
  const report = new Set(found.map(placeOf));
  const others = await askAnother(ask);
  if (others?.some((log) => !report.has(placeOf(log)))) throw leftOut();
  return found;
}

const placeOf = ({ address, blockNumber }: EvmLog) => `${address} ${blockNumber}`;
const leftOut = () => new EndpointFault('left out logs that another node has');

const bloomBits = 2048;
/** Three of the 2048 bits represent each address and each topic (Yellow Paper, 4.3.1), here as one number. */
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

/** Returns false only if the block has no log of this address or with this topic. */
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

/** Returns false only if the headers rule out a relevant event of any contract. */
function mayAnnounce(headers: readonly BlockHeader[]): boolean {
  return headers.some(({ bloom }) => bloom !== undefined && hasTopic(hexToBytes(bloom.slice(2))));
}

function hasTopic(bloom: Uint8Array): boolean {
  return announcedTopics.some((topic) => mayHold(bloom, topic));
}

/** Finds blocks whose header allows for an event of a contract while the logs contain none. */
function findSilence(
  headers: readonly BlockHeader[],
  contracts: readonly Hex[],
  logs: readonly EvmLog[],
): { contract: Hex; number: bigint }[] {
  const report = new Set(logs.map(({ address, blockNumber }) => `${address} ${blockNumber}`));
  return headers.flatMap(({ number, bloom: text }) => {
    if (text === undefined) return [];
    const bloom = hexToBytes(text.slice(2));
    if (!hasTopic(bloom)) return [];
    return contracts
      .filter((contract) => mayHold(bloom, contract) && !report.has(`${contract} ${number}`))
      .map((contract) => ({ contract, number }));
  });
}

// Wrapped coins are minted and burned by these events, without a transfer.
const wrappingTopics = ['Deposit(address,uint256)', 'Withdrawal(address,uint256)'].map(topicOf);
const stakingTopics = stakingAdapters.flatMap(({ events }) => events.map(topicOf));

/** Which topics of an event contain accounts whose holding changed. */
const accountPlaces = new Map<Hex, readonly number[]>([
  [transferTopic, [1, 2]],
  [transferSingleTopic, [2, 3]],
  [transferBatchTopic, [2, 3]],
  ...[...wrappingTopics, ...stakingTopics].map((topic): [Hex, number[]] => [topic, [1]]),
]);

/** Enough for every event here plus one word; the rest is ignored. */
const mostWords = 8;

const announcedTopics: readonly Hex[] = [...accountPlaces.keys()];

/** How many words an event has in its topics and data together, where that is fixed. */
const wordCounts = new Map<Hex, number>([
  [transferTopic, 3],
  [transferSingleTopic, 5],
]);

/**
 * Returns the accounts whose holding of the contract may have changed by a log. A log of an unusual form may name them anywhere, so
 * everything that could be an account counts: reading too many again is harmless, missing one is not.
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
