import { fencedBy, type Leases, openLeases, type Sql, type Tx } from '@latchkey/db';
import { selectCommunitiesOf } from '../../communities/memberships/index.ts';
import { enqueueReconcile, type ReconcileCause } from '../../communities/reconcile-queue/index.ts';
import { usersOfWallets } from '../../identity/wallets/index.ts';
import type { ChainCursor, ChainStep } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { repeat } from '../../shared/repeat.ts';
import { gatingSettings } from '../evaluation/index.ts';
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
} from '../holdings/index.ts';
import { walletNamespaceOf } from '../rules/index.ts';
import { WatchList } from './watched-assets.ts';
import './watched-assets.ts';

export interface Following {
  stop(): Promise<void>;
}

/** How long it may take until contracts in new rules are followed. */
const refreshMs = 2_000;
const longestPauseMs = 5_000;
const trying = { topic: 'gating', failure: 'Failed to follow a chain; retrying.', longestPauseMs };
/** A chain that cannot be followed from its last position for this long is followed from its head again. */
const patienceMs = 10 * 60 * 1000;

/**
 * Follows every chain that rules use and that announces changes, until stopped: a transfer queues the affected members
 * once its block is deep enough. Any number of processes can run this; each chain is followed by one.
 */
export function followChains(
  ctx: RepeatContext,
  leases: Leases = openLeases(ctx.db, { log: ctx.log.for('leases') }),
): Following {
  const ended = new AbortController();
  const { signal } = ended;
  const list = new WatchList(ctx);
  const watched = new Map<string, readonly string[]>();
  const loops = new Map<string, Promise<void>>();
  const refreshing = repeat(ctx, signal, { ...trying, pauseMs: refreshMs }, async () => {
    for (const [chain, contracts] of (await list.refresh()) ?? []) {
      watched.set(chain, contracts);
      if (!loops.has(chain))
        loops.set(
          chain,
          followChain(ctx, chain, () => watched.get(chain) ?? [], leases, signal),
        );
    }
    return 'at-end';
  });
  return {
    stop: async () => {
      ended.abort();
      await refreshing;
      await Promise.all(loops.values());
      await Promise.all([...loops.keys()].map((chain) => leases.release(leaseOf(chain))));
    },
  };
}

type RepeatContext = FollowContext & Pick<Context, 'random'>;

const leaseOf = (chain: string) => `chain/${chain}`;

function followChain(
  ctx: RepeatContext,
  chain: string,
  contracts: () => readonly string[],
  leases: Leases,
  signal: AbortSignal,
): Promise<void> {
  const settings = gatingSettings(ctx);
  let goodAt = ctx.clock().getTime();
  let received: { contracts: readonly string[]; token: unknown } | undefined;
  return repeat(ctx, signal, { ...trying, pauseMs: settings.followPauseMs }, async () => {
    const named = contracts();
    const lease = named.length === 0 ? undefined : await leases.take(leaseOf(chain));
    if (lease === undefined) return 'at-end';
    const held = { ...ctx, db: fencedBy(ctx.db, lease) };
    // Only the holder of the lease changes which contracts are watched.
    const known = received?.token === lease.token ? received.contracts : undefined;
    const result = await followStep(held, chain, named, { signal, ...(known !== undefined && { received: known }) });
    if (result !== 'failed') received = { contracts: named, token: lease.token };
    const now = ctx.clock().getTime();
    if (result !== 'failed') goodAt = now;
    if (now - goodAt < patienceMs) return result;
    goodAt = now;
    return restart(held, chain, {
      contracts: named,
      depth: settings.followDepths[chain] ?? settings.followDepth,
      signal,
    });
  });
}

type FollowContext = Pick<Context, 'clock' | 'db' | 'follower' | 'log' | 'settings' | 'wallets'>;

/** The result of a step: continue immediately, wait for the next block, or wait because the chain cannot be read. */
type StepResult = 'moved' | 'at-end' | 'failed';

/**
 * Follows a chain by one step. Changes, the new position and the queue entries of affected members are stored in one
 * transaction: after a crash the step is repeated from the old position.
 */
export async function followStep(
  ctx: FollowContext,
  chain: string,
  contracts: readonly string[],
  { received, signal }: { received?: readonly string[]; signal?: AbortSignal } = {},
): Promise<StepResult> {
  const settings = gatingSettings(ctx);
  const depth = settings.followDepths[chain] ?? settings.followDepth;
  const passed = await selectPassed(ctx.db.system, chain);
  const [newest] = passed;
  if (newest === undefined)
    return startFollowing(ctx, chain, { contracts, depth, signal }, (tx) => enqueueNaming(tx, chain, contracts));
  if (received !== contracts)
    await ctx.db.transaction('system', async (tx) => {
      const at = Number(newest.number);
      const change = received === undefined ? undefined : compare(received, contracts);
      const added = change ? rewatch(tx, chain, change, at) : watchContracts(tx, chain, contracts, at);
      // Holdings read before the contract was watched may have changed unnoticed in between.
      await enqueueNaming(tx, chain, await added);
    });
  const request = { passed, contracts, depth, ...(signal !== undefined && { signal }) };
  const step = await ctx.follower.next(chain, request);
  switch (step.kind) {
    case 'waiting':
      await markFollowed(ctx.db.system, chain, ctx.clock());
      return 'at-end';
    case 'advanced':
      return ctx.db.transaction('system', (tx) => advance(ctx, tx, chain, newest, step));
    case 'reorganised':
      return ctx.db.transaction('system', (tx) => goBack(ctx, tx, chain, newest, step.ancestor));
    case 'lost':
      return restart(ctx, chain, { contracts, depth, signal });
    case 'unknown':
      return (await wasReset(ctx, chain, newest, depth, signal))
        ? restart(ctx, chain, { contracts, depth, signal })
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

interface StartOptions {
  contracts: readonly string[];
  depth: number;
  signal?: AbortSignal | undefined;
}

/** Starts following a chain at its latest block; `also` runs in the same transaction. */
async function startFollowing(
  ctx: FollowContext,
  chain: string,
  { contracts, depth, signal }: StartOptions,
  also: (tx: Tx) => Promise<void>,
): Promise<StepResult> {
  const at = await ctx.follower.start(chain, depth, signal);
  if (at === undefined) return 'failed';
  await ctx.db.transaction('system', async (tx) => {
    await startChain(tx, chain, at, contracts, ctx.clock());
    await also(tx);
  });
  return 'moved';
}

/** Starts over at the head of a chain when the path from the last known block is lost. All affected members are re-checked. */
async function restart(ctx: FollowContext, chain: string, options: StartOptions): Promise<StepResult> {
  const result = await startFollowing(ctx, chain, options, async (tx) => {
    await forgetHoldings(tx, chain);
    await enqueueChain(tx, chain);
  });
  if (result === 'moved')
    ctx.log
      .for('gating')
      .warn('Restarting from the latest block of a chain; re-checking all affected members.', { chain });
  return result;
}

// A chain whose head is far below the last position is a different chain with the same name, such as a restarted
// development node.
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
  // Another process made this step: discard ours.
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
  await enqueueAccounts(ctx, tx, chain, [...passed, ...orphaned]);
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
  await enqueueAccounts(ctx, tx, chain, await undoBlocks(tx, chain, Number(ancestor.number)));
  return 'moved';
}

/** Queues a check of a user in each of their communities, because their account changed. */
export async function enqueueUser(tx: Sql, userId: string, cause: ReconcileCause): Promise<void> {
  const memberships = await selectCommunitiesOf(tx, [userId]);
  for (const communityId of memberships.map((row) => row.community_id).toSorted())
    await enqueueReconcile(tx, { communityId, members: [userId], cause });
}

export interface AccountChange {
  /** The contract, as written in rules. */
  reference: string;
  account: string;
}

/**
 * Queues the members whose accounts changed, only in communities whose rules name the contract. Returns how many
 * members were queued.
 */
export async function enqueueAccounts(
  ctx: Pick<Context, 'wallets'>,
  tx: Sql,
  chain: string,
  changes: readonly AccountChange[],
): Promise<number> {
  if (changes.length === 0) return 0;
  const namespace = walletNamespaceOf(chain);
  const chainReference = chain.slice(chain.indexOf(':') + 1);
  const spell = (account: string) => ctx.wallets[namespace]?.normalizeAddress(account, chainReference) ?? account;
  const referencesOf = Map.groupBy(changes, (change) => spell(change.account));
  const owners = await usersOfWallets(tx, namespace, [...referencesOf.keys()]);
  const naming = await communitiesNaming(tx, chain, [...new Set(changes.map((change) => change.reference))]);
  const memberships = Map.groupBy(
    await selectCommunitiesOf(tx, [...new Set(owners.map((owner) => owner.user_id))]),
    (row) => row.user_id,
  );
  const queued = new Map<string, Set<string>>();
  for (const { user_id, address } of owners) {
    const concerned = new Set(referencesOf.get(address)?.flatMap(({ reference }) => naming.get(reference) ?? []));
    for (const { community_id } of memberships.get(user_id) ?? []) {
      if (!concerned.has(community_id)) continue;
      const members = queued.get(community_id) ?? new Set();
      queued.set(community_id, members.add(user_id));
    }
  }
  for (const communityId of [...queued.keys()].toSorted())
    await enqueueReconcile(tx, { communityId, members: [...(queued.get(communityId) ?? [])], cause: 'chain' });
  return [...queued.values()].reduce((sum, members) => sum + members.size, 0);
}

async function communitiesNaming(
  db: Sql,
  chain: string,
  references: readonly string[],
): Promise<Map<string, string[]>> {
  const rows = await db
    .selectFrom('rule_assets')
    .select(['community_id', 'reference'])
    .where('chain', '=', chain)
    .where('reference', '=', (eb) => eb.fn.any(eb.val([...references])))
    .execute();
  const byReference = Map.groupBy(rows, (row) => row.reference);
  return new Map([...byReference].map(([reference, named]) => [reference, named.map((row) => row.community_id)]));
}

/** Re-checks every member of the communities whose rules name one of these contracts. */
async function enqueueNaming(tx: Sql, chain: string, references: readonly string[]): Promise<void> {
  if (references.length === 0) return;
  const communityIds = new Set([...(await communitiesNaming(tx, chain, references)).values()].flat());
  for (const communityId of [...communityIds].toSorted())
    await enqueueReconcile(tx, { communityId, members: '*', cause: 'chain' });
}

/** Re-checks every member whose rules name anything on a chain, because its events were missed. */
async function enqueueChain(tx: Sql, chain: string): Promise<void> {
  const rows = await tx
    .selectFrom('rule_assets')
    .select('community_id')
    .where('chain', '=', chain)
    .distinct()
    .orderBy('community_id')
    .execute();
  for (const { community_id } of rows)
    await enqueueReconcile(tx, { communityId: community_id, members: '*', cause: 'chain' });
}
