import type { ChainCursor, ChainStep } from '@latchkey/core/ports';
import { EndpointRefusal } from '../endpoints/index.ts';
import type { BlockHeader, NodeRpc } from './node-rpc.ts';
import { areMany, readChanges, type SecondOpinion, type Stretch } from './read-changes.ts';
import { findAncestor, readHeader, type SeenHeaders, standsOn, toCursor, walkDown } from './walk-headers.ts';

export interface Step {
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
export async function takeStep(step: Step): Promise<ChainStep> {
  const [last] = step.passed;
  if (last === undefined) return { kind: 'unknown', reason: 'It is not known where following began.' };
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
