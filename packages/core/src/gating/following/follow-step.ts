import type { Tx } from '@latchkey/db';
import type { Context } from '../../context.ts';
import type { ChainCursor, ChainStep } from '../../ports/index.ts';
import { gatingSettings } from '../judging/index.ts';
import {
  dropOrphanedReads,
  forgetHoldings,
  markFollowed,
  moveChain,
  pruneBlocks,
  putBlocks,
  putChanges,
  rememberedBlocks,
  rewatch,
  selectPassed,
  startChain,
  undoBlocks,
  watchContracts,
} from '../readings/index.ts';
import { touchAccounts, touchChain, touchNaming } from './touch.ts';

export type FollowContext = Pick<Context, 'clock' | 'db' | 'follower' | 'log' | 'settings' | 'wallets'>;

/** What a step came to: go on at once, wait for the next block, or wait because the chain cannot be asked. */
export type StepResult = 'moved' | 'at-end' | 'failed';

/**
 * One step along a chain. What changed is kept together with the new position, and the members concerned are touched, in
 * one transaction: after a crash the step is made again from where it was.
 */
export async function followStep(
  ctx: FollowContext,
  chain: string,
  contracts: readonly string[],
  { heard, signal }: { heard?: readonly string[]; signal?: AbortSignal } = {},
): Promise<StepResult> {
  const settings = gatingSettings(ctx);
  const depth = settings.followDepths[chain] ?? settings.followDepth;
  const passed = await selectPassed(ctx.db.system, chain);
  const [newest] = passed;
  if (newest === undefined) return begin(ctx, chain, contracts, depth, signal);
  if (heard !== contracts)
    await ctx.db.transaction('system', async (tx) => {
      const at = Number(newest.number);
      const change = heard === undefined ? undefined : compare(heard, contracts);
      const added = change ? rewatch(tx, chain, change, at) : watchContracts(tx, chain, contracts, at);
      // What was read before it was listened to may have changed unheard in between.
      await touchNaming(tx, chain, await added);
    });
  const wish = { passed, contracts, depth, ...(signal !== undefined && { signal }) };
  const step = await ctx.follower.next(chain, wish);
  switch (step.kind) {
    case 'waiting':
      await markFollowed(ctx.db.system, chain, ctx.clock());
      return 'at-end';
    case 'advanced':
      return ctx.db.transaction('system', (tx) => advance(ctx, tx, chain, newest, step));
    case 'reorganised':
      return ctx.db.transaction('system', (tx) => goBack(ctx, tx, chain, newest, step.ancestor));
    case 'lost':
      return restart(ctx, chain, contracts, depth, signal);
    case 'unknown':
      return (await wasReset(ctx, chain, newest, depth, signal))
        ? restart(ctx, chain, contracts, depth, signal)
        : 'failed';
  }
}

function compare(before: readonly string[], now: readonly string[]): { added: string[]; gone: string[] } {
  const known = new Set(before);
  const wanted = new Set(now);
  return {
    added: now.filter((contract) => !known.has(contract)),
    gone: before.filter((contract) => !wanted.has(contract)),
  };
}

async function begin(
  ctx: FollowContext,
  chain: string,
  contracts: readonly string[],
  depth: number,
  signal?: AbortSignal,
): Promise<StepResult> {
  const at = await ctx.follower.start(chain, depth, signal);
  if (at === undefined) return 'failed';
  await ctx.db.transaction('system', async (tx) => {
    await startChain(tx, chain, at, contracts, ctx.clock());
    await touchNaming(tx, chain, contracts);
  });
  return 'moved';
}

/** Begins anew at the end of a chain whose way from the last known block is lost. Everybody concerned is looked at. */
export async function restart(
  ctx: FollowContext,
  chain: string,
  contracts: readonly string[],
  depth: number,
  signal?: AbortSignal,
): Promise<StepResult> {
  const at = await ctx.follower.start(chain, depth, signal);
  if (at === undefined) return 'failed';
  await ctx.db.transaction('system', async (tx) => {
    await startChain(tx, chain, at, contracts, ctx.clock());
    await forgetHoldings(tx, chain);
    await touchChain(tx, chain);
  });
  ctx.log.for('gating').warn('A chain is followed anew from its end; everyone affected is re-checked.', { chain });
  return 'moved';
}

// A chain that ends far below where it was is another chain under the same name, as a development node is after a restart.
async function wasReset(
  ctx: FollowContext,
  chain: string,
  newest: ChainCursor,
  depth: number,
  signal?: AbortSignal,
): Promise<boolean> {
  const end = await ctx.follower.start(chain, depth, signal);
  return end !== undefined && Number(end.number) + rememberedBlocks < Number(newest.number);
}

async function advance(
  ctx: FollowContext,
  tx: Tx,
  chain: string,
  from: ChainCursor,
  { to, blocks, changes }: Extract<ChainStep, { kind: 'advanced' }>,
): Promise<StepResult> {
  // Somebody else made this step: nothing of it is ours to keep.
  if (!(await moveChain(tx, chain, from, to))) return 'moved';
  const passed = changes.map(({ contract, account, block }) => ({
    reference: contract,
    account,
    number: Number(block.number),
  }));
  const headers = [...blocks.filter((block) => block.number !== to.number), to];
  await putBlocks(tx, chain, headers);
  await putChanges(tx, chain, passed);
  const orphaned = await dropOrphanedReads(tx, chain, headers);
  await touchAccounts(ctx, tx, chain, [...passed, ...orphaned]);
  await pruneBlocks(tx, chain, Number(to.number) - rememberedBlocks);
  return 'moved';
}

async function goBack(
  ctx: FollowContext,
  tx: Tx,
  chain: string,
  from: ChainCursor,
  ancestor: ChainCursor,
): Promise<StepResult> {
  if (!(await moveChain(tx, chain, from, ancestor))) return 'moved';
  await touchAccounts(ctx, tx, chain, await undoBlocks(tx, chain, Number(ancestor.number)));
  return 'moved';
}
