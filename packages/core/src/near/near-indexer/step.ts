import type { Context } from '../../context.ts';
import { inParallel } from '../../in-parallel.ts';
import type { NearBlockSeen, NearBlocks, NearTransactionOutcome } from '../../ports/index.ts';
import { insertCursor, moveCursor, type NearCursor, selectCursor, selectUnsettled, updateOutcome } from './queries.ts';
import { addBlock, addOutcome, noRows, placeOf } from './rows.ts';
import { storeRows } from './store-rows.ts';

export type IndexContext = Pick<Context, 'clock' | 'db' | 'log'>;
export type StepResult = 'moved' | 'at-end';

const blocksAtOnce = 32;
const callsAtOnce = 16;
const unsettledAtOnce = 200;
const firstLookMs = 1_000;
/** After so many looks, some twenty minutes, a transaction that the network does not speak of any more is let be. */
const maxLooks = 12;

/**
 * Indexes the next blocks of a network, in one transaction with the cursor: whatever happens, a block is either in the
 * index whole, and passed, or neither. Throws when the network cannot be asked or what it says does not join.
 */
export async function indexStep(ctx: IndexContext, network: NearBlocks, signal: AbortSignal): Promise<StepResult> {
  await settle(ctx, network, signal);
  const cursor = (await selectCursor(ctx.db.system, network.network)) ?? (await begin(ctx, network, signal));
  const newest = await network.newest(signal);
  const blocks = await nextBlocks(network, cursor, newest, signal);
  const last = blocks.at(-1);
  if (last === undefined) return 'at-end';
  const outcomes = await outcomesOf(network, blocks, signal);
  const rows = noRows();
  for (const block of blocks) addBlock(rows, block, outcomes);
  const lookAt = new Date(ctx.clock().getTime() + firstLookMs);
  await ctx.db.transaction('system', async (tx) => {
    if (!(await moveCursor(tx, network.network, cursor, { height: last.height, hash: last.hash }))) return;
    await storeRows(tx, rows, lookAt);
  });
  return 'moved';
}

/** Starts at the newest block, or at the first one there is from the height that the operator set. */
async function begin(ctx: IndexContext, network: NearBlocks, signal: AbortSignal): Promise<NearCursor> {
  const newest = await network.newest(signal);
  let block: NearBlockSeen | undefined;
  for (let height = network.startsAfter ?? newest; block === undefined && height <= newest; height++)
    block = await network.block(height, signal);
  if (block === undefined)
    throw new Error(`The NEAR network ${network.network} has no block to begin at; its newest one is ${newest}.`);
  await insertCursor(ctx.db.system, network.network, block);
  return { height: block.height, hash: block.hash };
}

/**
 * The blocks after the cursor, each the child of the one before. A height without a block is normal, but a node that
 * lacks a block says the same of it; the hash of the parent tells the two apart, and a lacking block is asked for by it.
 */
async function nextBlocks(
  network: NearBlocks,
  cursor: NearCursor,
  newest: number,
  signal: AbortSignal,
): Promise<NearBlockSeen[]> {
  const heights = Array.from(
    { length: Math.min(blocksAtOnce, newest - cursor.height) },
    (_, n) => cursor.height + n + 1,
  );
  const found = await inParallel(heights, callsAtOnce, (height) => network.block(height, signal));
  const joined: NearBlockSeen[] = [];
  let previous: string = cursor.hash;
  for (const block of found) {
    if (block === undefined) continue;
    joined.push(...(await ancestorsSince(network, block, previous, cursor.height, signal)), block);
    previous = block.hash;
  }
  return joined;
}

/** The blocks between one that was passed and `block`, oldest first. */
async function ancestorsSince(
  network: NearBlocks,
  block: NearBlockSeen,
  passed: string,
  passedHeight: number,
  signal: AbortSignal,
): Promise<NearBlockSeen[]> {
  const between: NearBlockSeen[] = [];
  for (let wanted = block.previousHash; wanted !== passed; ) {
    const parent = await network.block(wanted, signal);
    if (parent === undefined || parent.height <= passedHeight)
      throw new Error(
        `Block ${block.height} of the NEAR network ${network.network} does not join what was read before.`,
      );
    between.unshift(parent);
    wanted = parent.previousHash;
  }
  return between;
}

async function outcomesOf(
  network: NearBlocks,
  blocks: readonly NearBlockSeen[],
  signal: AbortSignal,
): Promise<Map<string, NearTransactionOutcome | undefined>> {
  const transactions = blocks.flatMap(({ chunks }) => chunks.flatMap((chunk) => chunk.transactions));
  const outcomes = await inParallel(transactions, callsAtOnce, ({ hash, signer }) =>
    network.outcome(hash, signer, signal),
  );
  return new Map(transactions.map(({ hash }, index) => [hash, outcomes[index]]));
}

/** Asks again about transactions of which receipts were still to come. */
async function settle(ctx: IndexContext, network: NearBlocks, signal: AbortSignal): Promise<void> {
  const now = ctx.clock();
  const unsettled = await selectUnsettled(ctx.db.system, now, unsettledAtOnce);
  if (unsettled.length === 0) return;
  const outcomes = await inParallel(unsettled, callsAtOnce, ({ hash, signer }) =>
    network.outcome(hash, signer, signal),
  );
  await ctx.db.transaction('system', async (tx) => {
    const rows = noRows();
    for (const [index, { hash, height, looks }] of unsettled.entries()) {
      const outcome = outcomes[index];
      const isOver = outcome?.isFinal || looks + 1 >= maxLooks;
      const nextLook = new Date(now.getTime() + firstLookMs * 2 ** (looks + 1));
      if (outcome !== undefined) addOutcome(rows, hash, outcome, placeOf(height));
      await updateOutcome(tx, hash, outcome, isOver ? null : nextLook);
    }
    await storeRows(tx, rows, now);
  });
}
