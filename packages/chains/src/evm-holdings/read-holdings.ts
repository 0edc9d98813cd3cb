import type { Answer, HoldingsReader, Question, ReadOptions, StakingContract } from '@latchkey/core/ports';
import { matchesTokenIds, parseTokenIds, type TokenIdSet } from '@latchkey/kernel';
import { EndpointsFailed } from '../endpoints/index.ts';
import { type ChainView, createChainView, remember } from './chain-view.ts';
import { toNumber, wordsOf } from './decode-words.ts';
import { transferBatchTopic, transferSingleTopic, transferTopic } from './events.ts';
import { createEvmChains, type EvmChain, type EvmChainsOptions } from './evm-chain.ts';
import type { BlockHeader, EvmLog, Hex } from './node-rpc.ts';
import { pinAt, pinNewest } from './pin-block.ts';
import { compareLogs, createLogSearch, toTopic } from './read-logs.ts';
import { createDescribeToken, type MetadataOptions } from './read-metadata.ts';
import {
  contractOf,
  type DescribeToken,
  type Holding,
  type Reading,
  readDecimals,
  type Standard,
  toHexAddress,
  toWhole,
} from './reading.ts';
import { movedTokens } from './standards/erc1155.ts';
import { createStandards } from './standards-by-name.ts';
import { Unreadable } from './unreadable.ts';

export interface EvmHoldingsOptions extends EvmChainsOptions {
  metadata?: MetadataOptions | undefined;
  /** Staking contracts with a description of how to read them. Others are tried with the known interfaces. */
  stakingContracts?: readonly StakingContract[] | undefined;
}

/** Reads holdings on EVM chains. */
export interface EvmHoldings extends HoldingsReader {
  /** Returns how many independent endpoints a chain has. */
  independentEndpoints(chain: string): number;
}

export function createEvmHoldings(options: EvmHoldingsOptions): EvmHoldings {
  const findChain = createEvmChains(options);
  const standards = createStandards(options.stakingContracts ?? []);
  const describe = createDescribeToken(options.metadata ?? {});
  return {
    independentEndpoints: (chain) => findChain(chain)?.pool.independent ?? 0,
    reads: ({ chain, standard }) => findChain(chain) !== undefined && standards.has(standard),
    read: async (questions, given = {}) => {
      const answers: Answer[] = questions.map(({ chain }) => unknown(`No node is configured for ${chain}.`));
      const groups = Map.groupBy(questions.keys(), (index) => groupOf(questions[index], findChain));
      await Promise.all(
        [...groups.values()].map(async (indexes) => {
          const requested = indexes.flatMap((index) => questions[index] ?? []);
          const [first] = requested;
          const chain = first && findChain(first.chain);
          if (!chain) return;
          const got = await readGroup({ chain, standards, describe, given }, requested, first);
          indexes.forEach((index, place) => {
            answers[index] = got[place] ?? unknown('The reader returned no result.');
          });
        }),
      );
      return answers;
    },
  };
}

/** Groups questions by chain and block. */
function groupOf(question: Question | undefined, findChain: (chain: string) => EvmChain | undefined): string {
  return question === undefined ? '' : `${findChain(question.chain)?.name} ${question.atBlock ?? ''}`;
}

interface Group {
  chain: EvmChain;
  standards: ReadonlyMap<string, Standard>;
  describe: DescribeToken;
  given: ReadOptions;
}

async function readGroup(group: Group, questions: readonly Question[], first: Question): Promise<Answer[]> {
  const { chain, given } = group;
  try {
    // With fewer endpoints than the quorum, all of them must agree.
    const quorum = Math.max(1, Math.min(given.quorum ?? 1, chain.pool.independent));
    const options = { quorum, signal: given.signal };
    const point = first.atBlock === undefined ? blockOf(given, first.chain, chain) : { number: first.atBlock };
    const block = point ? await pinAt(chain, point, options) : await pinNewest(chain, options);
    const view = createChainView(chain, block, options);
    const searchLogs = createLogSearch(view);
    const common = { view, searchLogs, describe: group.describe };
    const reader = { standards: group.standards, common, parse: createTokenIdParser(), block: pointOf(view) };
    const answers: Promise<Answer>[] = [];
    for (const question of questions) {
      // The node handles the first reads while the next ones are encoded, and the event loop gets to run in between.
      if (answers.length > 0 && answers.length % chain.maxCalls === 0) await view.room();
      answers.push(answer(reader, question));
    }
    return await Promise.all(answers);
  } catch (error) {
    return questions.map(() => unknownBecause(error));
  }
}

function blockOf({ blocks }: ReadOptions, requested: string, { name }: EvmChain) {
  return blocks?.get(requested) ?? blocks?.get(name);
}

/** What all questions of a group share. */
interface GroupReader {
  standards: ReadonlyMap<string, Standard>;
  common: Pick<Reading, 'view' | 'searchLogs' | 'describe'>;
  parse: (text: string) => TokenIdSet;
  block: ReturnType<typeof pointOf>;
}

async function answer({ standards, common, parse, block }: GroupReader, question: Question): Promise<Answer> {
  try {
    const read = standards.get(question.standard);
    const account = toHexAddress(question.account);
    if (read === undefined) throw new Unreadable(`The standard ${question.standard} is not supported.`);
    if (account === undefined) throw new Unreadable('The account is not an address of this chain.');
    const ids = question.tokenIds === undefined ? undefined : parse(question.tokenIds);
    const reading = { ...common, question, account, ids };
    const since = question.leastSince;
    const holding =
      since === undefined ? await read(reading) : await readLeast(reading, plainName(question), read, since);
    return { kind: 'read', ...holding, block };
  } catch (error) {
    return unknownBecause(error);
  }
}

/** Returns the standard's name on most chains. */
function plainName({ standard }: Question): string {
  return standard.replace(/^bep/, 'erc');
}

function pointOf({ block }: ChainView): { number: string; hash: string } {
  return { number: block.number.toString(), hash: block.hash };
}

/** Caches parsed token ids: ten thousand members are checked for the same tokens. */
function createTokenIdParser(): (text: string) => TokenIdSet {
  const known = new Map<string, TokenIdSet>();
  return (text) => {
    const parsed = known.get(text) ?? parseOrUnreadable(text);
    known.set(text, parsed);
    return parsed;
  };
}

function parseOrUnreadable(text: string): TokenIdSet {
  try {
    return parseTokenIds(text);
  } catch {
    throw new Unreadable('The token ids cannot be read.');
  }
}

function unknown(reason: string): Answer {
  return { kind: 'unknown', reason };
}

// Unexpected errors are not quoted: they may contain a URL with a key in it.
function unknownBecause(error: unknown): Answer {
  const isForeseen = error instanceof Unreadable || error instanceof EndpointsFailed;
  return unknown(isForeseen ? error.message : 'The node sent an unusable response.');
}

interface Movements {
  events: readonly Hex[];
  /** The topic of the sender. The receiver is in the next one. */
  senderPlace: number;
  /** How much a transfer moved of what the question asks about. */
  moved(log: EvmLog, reading: Reading): bigint;
}

const movementsOf: Readonly<Record<string, Movements>> = {
  erc20: {
    events: [transferTopic],
    senderPlace: 1,
    moved: ({ data }) => toNumber(wordsOf(data.slice(2))[0] ?? '0'),
  },
  erc721: {
    events: [transferTopic],
    senderPlace: 1,
    moved: ({ topics: [, , , id] }, { ids }) => {
      if (id === undefined) throw new Unreadable('The contract does not report which tokens it moves.');
      return ids === undefined || matchesTokenIds(ids, BigInt(id).toString()) ? 1n : 0n;
    },
  },
  erc1155: {
    events: [transferSingleTopic, transferBatchTopic],
    senderPlace: 2,
    moved: (log, { ids }) =>
      movedTokens(log)
        .filter(([id]) => ids === undefined || matchesTokenIds(ids, id.toString()))
        .reduce((sum, [, amount]) => sum + amount, 0n),
  },
};

/**
 * Returns the minimum amount held at the end of any block since a time, by undoing every transfer since then one after the other. Tokens
 * that left and came back within one block do not count as gone.
 */
async function readLeast(reading: Reading, standard: string, read: Standard, since: string): Promise<Holding> {
  const { view, account } = reading;
  const movements = movementsOf[standard];
  const sinceMs = Date.parse(since);
  if (movements === undefined)
    throw new Unreadable(`The minimum balance over a period cannot be read for ${standard}.`);
  if (Number.isNaN(sinceMs)) throw new Unreadable('The time since when it must be held cannot be read.');
  const seconds = BigInt(Math.floor(sinceMs / 1000));
  const key = `block at ${seconds} before ${view.block.hash}`;
  const start = await remember(view.chain.constants, key, () => findBlockAt(view, seconds));
  const contract = contractOf(reading);
  const query = { contract, events: movements.events, account, fromBlock: start + 1n };
  const [now, decimals, out, into] = await Promise.all([
    read(reading),
    standard === 'erc20' ? readDecimals(reading, contract) : 0,
    reading.searchLogs({ ...query, place: movements.senderPlace }),
    reading.searchLogs({ ...query, place: movements.senderPlace + 1 }),
  ]);
  const logs = [...out, ...into.filter(({ topics }) => topics[movements.senderPlace] !== toTopic(account))];
  return { amount: toWhole(leastOf(toUnits(now.amount, decimals), logs, reading, movements), decimals) };
}

function leastOf(now: bigint, logs: EvmLog[], reading: Reading, { moved, senderPlace }: Movements): bigint {
  const self = toTopic(reading.account);
  let held = now;
  let least = now;
  let block: bigint | undefined;
  for (const log of logs.sort(compareLogs).reverse()) {
    if (log.blockNumber !== block && held < least) least = held;
    block = log.blockNumber;
    const isOut = log.topics[senderPlace] === self;
    const isBack = log.topics[senderPlace + 1] === self;
    if (isOut !== isBack) held += isOut ? moved(log, reading) : -moved(log, reading);
  }
  if (held < 0n) throw new Unreadable('The contract’s logs are incomplete.');
  return held < least ? held : least;
}

function toUnits(amount: string, decimals: number): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

type Sample = Pick<BlockHeader, 'number' | 'timestampSeconds'>;

const maxProbes = 60;

/** Returns the last block at or before a time, or the first block if the chain is younger. */
async function findBlockAt(view: ChainView, timeSeconds: bigint): Promise<bigint> {
  if (view.block.timestampSeconds <= timeSeconds) return view.block.number;
  let high: Sample = view.block;
  let low: Sample = await readHeader(view, 0n);
  if (low.timestampSeconds > timeSeconds) return 0n;
  for (let probe = 0; high.number - low.number > 1n; probe += 1) {
    if (probe > maxProbes) throw new Unreadable(`The block timestamps of ${view.chain.name} are inconsistent.`);
    const sample = await readHeader(view, guess(low, high, timeSeconds, probe));
    if (sample.timestampSeconds <= timeSeconds) low = sample;
    else high = sample;
  }
  return low.number;
}

// Blocks come at a nearly constant rate, so linear interpolation between two known blocks is mostly close. Every third guess bisects
// instead, in case the rate changed a lot.
function guess(low: Sample, high: Sample, timeSeconds: bigint, probe: number): bigint {
  const blocks = high.number - low.number;
  const seconds = high.timestampSeconds - low.timestampSeconds;
  const isHalving = probe % 3 === 2 || seconds <= 0n;
  const steps = isHalving ? blocks / 2n : ((timeSeconds - low.timestampSeconds) * blocks) / seconds;
  const inside = steps < 1n ? 1n : steps >= blocks ? blocks - 1n : steps;
  return low.number + inside;
}

async function readHeader({ chain, signal }: ChainView, number: bigint): Promise<BlockHeader> {
  const header = await chain.pool.ask((endpoint, abort) => chain.rpc(endpoint, abort).header(number), {
    kind: 'header',
    block: number,
    signal,
  });
  if (header === undefined) throw new Unreadable(`${chain.name} has no block ${number}.`);
  return header;
}
