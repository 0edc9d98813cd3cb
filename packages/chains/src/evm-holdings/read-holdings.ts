import type { Answer, HoldingsReader, Question, ReadOptions, StakingContract } from '@latchkey/core/ports';
import { parseTokenIds, type TokenIdSet } from '@latchkey/kernel';
import { EndpointsFailed } from '../endpoints/index.ts';
import { type ChainView, createChainView } from './chain-view.ts';
import { createEvmChains, type EvmChain, type EvmChainsOptions } from './evm-chain.ts';
import { readLeast } from './least-since.ts';
import { pinAt, pinNewest } from './pin-block.ts';
import { createLogSearch } from './read-logs.ts';
import { createDescribeToken, type MetadataOptions } from './read-metadata.ts';
import { type DescribeToken, type Reading, type Standard, toHexAddress } from './reading.ts';
import { readCall } from './standards/call.ts';
import { readErc721 } from './standards/erc721.ts';
import { readErc1155 } from './standards/erc1155.ts';
import { readErc20, readErc777, readFlow, readMoloch, readNative } from './standards/fungible.ts';
import { readDelegations, readSafe } from './standards/owners.ts';
import { createStakingStandard } from './standards/staking.ts';
import { Unreadable } from './unreadable.ts';

export interface EvmHoldingsOptions extends EvmChainsOptions {
  metadata?: MetadataOptions | undefined;
  /** Staking contracts whose description says how they are asked; others are asked in the ways that are known. */
  stakingContracts?: readonly StakingContract[] | undefined;
}

/** Reads what accounts hold on EVM chains. */
export interface EvmHoldings extends HoldingsReader {
  /** How many independent endpoints a chain has. */
  independentEndpoints(chain: string): number;
}

export function createEvmHoldings(options: EvmHoldingsOptions): EvmHoldings {
  const findChain = createEvmChains(options);
  const standards = createStandards(options);
  const describe = createDescribeToken(options.metadata ?? {});
  return {
    independentEndpoints: (chain) => findChain(chain)?.pool.independent ?? 0,
    reads: ({ chain, standard }) => findChain(chain) !== undefined && standards.has(standard),
    read: async (questions, given = {}) => {
      const answers: Answer[] = questions.map(({ chain }) => unknown(`No node of ${chain} is set.`));
      const groups = Map.groupBy(questions.keys(), (index) => groupOf(questions[index], findChain));
      await Promise.all(
        [...groups.values()].map(async (indexes) => {
          const asked = indexes.flatMap((index) => questions[index] ?? []);
          const [first] = asked;
          const chain = first && findChain(first.chain);
          if (!chain) return;
          const got = await readGroup({ chain, standards, describe, given }, asked, first);
          indexes.forEach((index, place) => {
            answers[index] = got[place] ?? unknown('The reader gave no answer.');
          });
        }),
      );
      return answers;
    },
  };
}

/** Questions of one chain and block belong together. */
function groupOf(question: Question | undefined, findChain: (chain: string) => EvmChain | undefined): string {
  return question === undefined ? '' : `${findChain(question.chain)?.name} ${question.atBlock ?? ''}`;
}

function createStandards({ stakingContracts = [] }: EvmHoldingsOptions): ReadonlyMap<string, Standard> {
  return new Map<string, Standard>([
    ['native', readNative],
    ['erc20', readErc20],
    ['bep20', readErc20],
    ['erc777', readErc777],
    ['superfluid', readFlow],
    ['moloch', readMoloch],
    ['erc721', readErc721],
    ['bep721', readErc721],
    ['erc1155', readErc1155],
    ['bep1155', readErc1155],
    ['staking', createStakingStandard(stakingContracts)],
    ['call', readCall],
    ['safe', readSafe],
    ['gnosis', readSafe],
    ['delegate', readDelegations],
    ['delegate-xyz', readDelegations],
  ]);
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
    // Where there are fewer endpoints than must agree, all there are must.
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
      // The node reads for the first ones while the next ones are written, and the process does other work in between.
      if (answers.length > 0 && answers.length % chain.maxCalls === 0) await view.room();
      answers.push(answer(reader, question));
    }
    return await Promise.all(answers);
  } catch (error) {
    return questions.map(() => unknownBecause(error));
  }
}

function blockOf({ blocks }: ReadOptions, asked: string, { name }: EvmChain) {
  return blocks?.get(asked) ?? blocks?.get(name);
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
    if (read === undefined) throw new Unreadable(`Nothing can be read of the standard ${question.standard}.`);
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

/** The standard by the name that it has on most chains. */
function plainName({ standard }: Question): string {
  return standard.replace(/^bep/, 'erc');
}

function pointOf({ block }: ChainView): { number: string; hash: string } {
  return { number: block.number.toString(), hash: block.hash };
}

/** Ten thousand members are asked about the same tokens. */
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

// Errors nobody foresaw are not quoted: they may hold an address with a key in it.
function unknownBecause(error: unknown): Answer {
  const isForeseen = error instanceof Unreadable || error instanceof EndpointsFailed;
  return unknown(isForeseen ? error.message : 'The answer of the node could not be used.');
}
