import type { ChainCursor, ChainFollower, ChainStep } from '@latchkey/core/ports';
import { type Endpoint, EndpointFault, EndpointRefusal, EndpointsFailed } from '../endpoints/index.ts';
import { createEvmChains, type EvmChain, type EvmChainsOptions } from './evm-chain.ts';
import type { BlockHeader, NodeRpc } from './node-rpc.ts';
import { areMany, readChanges, type SecondOpinion, type Stretch } from './read-changes.ts';
import { toHexAddress } from './reading.ts';
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
  /** Staking contracts known to announce what is staked, as `<chain>:<address>`: `1:0x5954…`. */
  announcingStakings?: ReadonlySet<string> | undefined;
  /** So many blocks are passed in one step after a long absence. */
  blocksPerStep?: number | undefined;
}

/** The most blocks at once that a node is asked about with all contracts there are. */
const mostBlocksForAll = 16;
const announcedStandards = ['erc20', 'erc721', 'erc1155', 'bep20', 'bep721', 'bep1155'];

/** Follows EVM chains by their logs: as a rule one header and one search for each step, and one header while waiting. */
export function createEvmFollower(options: EvmFollowerOptions): ChainFollower {
  const findChain = createEvmChains(options);
  const { announcingStakings = new Set(), blocksPerStep = 1_000 } = options;
  const stakings = new Set([...announcingStakings].map((staking) => staking.toLowerCase()));
  const seenOf = new Map<string, SeenHeaders>();
  const idleAt = new Map<string, string>();
  /** A step that failed is tried again by the contracts: the answer about all of them may be too large, or take too long. */
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

    next: async (name, { signal, ...asked }) => {
      const chain = findChain(name);
      if (chain === undefined) return { kind: 'unknown', reason: `No node is configured for ${name}.` };
      const seen = seenOf.get(chain.name) ?? new Map();
      seenOf.set(chain.name, seen);
      const width = blocksForAll.get(chain.name) ?? mostBlocksForAll;
      try {
        return await askOneNode(chain, signal, async (rpc, newest, endpoint) => {
          // Nothing can have changed while the newest block is the same.
          const state = `${newest.hash} ${asked.passed[0]?.hash} ${asked.depth}`;
          if (idleAt.get(chain.name) === state) return { kind: 'waiting' };
          seen.set(newest.number, newest);
          const askAnother = anotherThan(chain, endpoint, signal);
          const step = await takeStep({ ...asked, rpc, seen, newest, blocksPerStep, blocksForAll: width, askAnother });
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

/** Asks one node everything, for a step must see one chain of blocks. A node that is behind is not believed. */
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
      endpoint.url === url ? undefined : { said: await question(rpc(endpoint, abort)) };
    // Where nobody else answers, one node's word must do: following goes on with the last one that works.
    const answers = await pool.collect(ask, { want: 2, kind: 'second opinion', signal }).catch(() => []);
    return answers.find(({ value }) => value !== undefined)?.value?.said;
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
  /** For many contracts: a node is asked about so many blocks at once, and all contracts in them. None: by the contracts. */
  blocksForAll: number;
  /** Where there is another node to ask. */
  askAnother?: SecondOpinion | undefined;
}

// Headers are walked one by one only near the newest block: further down nothing is replaced any more.
const widestWalk = 128n;

/** One step on from the last passed block, as far as the wanted depth below the newest one. */
async function takeStep(step: Step): Promise<ChainStep> {
  const [last] = step.passed;
  if (last === undefined) return { kind: 'unknown', reason: 'The starting block is unknown.' };
  const distance = step.newest.number - BigInt(last.number);
  if (distance <= 0n) return lookAround(step);
  return distance <= widestWalk ? stepNear(step, last) : stepFar(step, last);
}

/**
 * The newest block is none above the last passed one: the node is behind, which means nothing, or it has another block where
 * one was passed.
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

/** After a long absence: whole stretches at a time, of which only the end is remembered. */
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

/** Undefined when the node does not want to tell so many logs at once. */
async function tryChanges({ rpc, contracts, askAnother }: Step, stretch: Stretch) {
  try {
    return await readChanges(rpc, contracts, stretch, askAnother);
  } catch (error) {
    const { from, headers } = stretch;
    if (error instanceof EndpointRefusal && (headers.at(-1)?.number ?? from) > from) return undefined;
    throw error;
  }
}
