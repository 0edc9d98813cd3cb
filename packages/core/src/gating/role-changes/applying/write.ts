import type { CommunityRow } from '../../../communities/community/index.ts';
import { PlatformFailed, type Refusal, type RoleFault, type RoleHost } from '../../../ports/index.ts';
import type { Context } from '../../../shared/context.ts';
import { addSeconds } from '../../../shared/time.ts';
import { lockCommunity } from '../planning/change-set-queries.ts';
import {
  all,
  type BreakerRow,
  closeBreaker,
  endIdleTrials,
  openBreaker,
  selectBreakerRows,
} from './breaker-queries.ts';
import { Findings, type Result, settleResults, type WrittenItem } from './settle.ts';
import { writeMember } from './write-member.ts';
import { claimItems, dropUnruled, selectRuledRoles, selectWaitingRoles, takeOrphans } from './write-queries.ts';

export type WriteContext = Pick<Context, 'clock' | 'db' | 'random' | 'log'>;

/** Who writes, where and how long. */
export interface Writer {
  community: CommunityRow;
  host: RoleHost;
  /** `worker` is one per community, by the queue; others only take what nobody has. */
  kind: 'worker' | 'now';
  claimedBy: string;
  signal: AbortSignal;
  /** Stops taking more after this time. */
  until: Date;
  changeSetId?: string | undefined;
  /** The change set's changes were put aside for this writer, so that nobody else begins them. */
  isReserved?: boolean;
}

/** What the members of one run share. */
export interface Run {
  findings: Findings;
  /** Why nobody can say which roles may be given, if so. */
  blindness: Blindness;
}

/** What a writer took or has put aside is left to it for so long: should it end before, others go on. */
export const claimSeconds = 120;
/** What the platform shows of its roles counts for so long. */
const stockSeconds = 10;

/**
 * Writes the waiting changes of one community, one call per member that carries all of its changes, as many members at a
 * time as the platform likes best. What came of the calls is kept in batches, while the next calls are under way. Answers
 * whether it stopped for lack of time.
 */
export async function writeRoles(ctx: WriteContext, writer: Writer): Promise<'through' | 'more'> {
  const run: Run = { findings: new Findings(), blindness: await takeStock(ctx, writer) };
  let stockUntil = addSeconds(ctx.clock(), stockSeconds);
  const waiting = await takeLeftovers(ctx, writer);
  const running = new Set<Promise<void>>();
  let results: Result[] = [];
  let failure: unknown;
  const start = (items: readonly WrittenItem[]) => {
    const written: Promise<void> = writeMember(ctx, writer, items, run)
      .then(
        (result) => void results.push(result),
        (error: unknown) => {
          failure ??= error;
        },
      )
      .finally(() => running.delete(written));
    running.add(written);
  };
  const hasTime = () => !writer.signal.aborted && failure === undefined && ctx.clock() < writer.until;
  let isThrough = false;
  while (hasTime() && !isThrough) {
    if (ctx.clock() >= stockUntil) {
      run.blindness = await takeStock(ctx, writer);
      stockUntil = addSeconds(ctx.clock(), stockSeconds);
    }
    if (waiting.length === 0) waiting.push(...(await takeNext(ctx, writer)));
    while (waiting.length > 0 && running.size < writer.host.writesAtOnce) start(waiting.shift() ?? []);
    isThrough = running.size === 0 && results.length === 0;
    if (running.size > 0 && results.length === 0) await Promise.race(running);
    const settled = results;
    results = [];
    await settleResults(ctx, writer, settled);
  }
  await Promise.all(running);
  await settleResults(ctx, writer, [...results, ...waiting.map((untried) => ({ untried }))]);
  if (failure !== undefined) throw failure;
  if (isThrough) await ctx.db.transaction('system', (tx) => endIdleTrials(tx, writer.community.id));
  return isThrough ? 'through' : 'more';
}

function claimOf(ctx: WriteContext, { community, claimedBy }: Writer) {
  const now = ctx.clock();
  return { communityId: community.id, claimedBy, now, claimedUntil: addSeconds(now, claimSeconds) };
}

/** The changes of the next members, in the order in which they are to be written. */
async function takeNext(ctx: WriteContext, writer: Writer): Promise<WrittenItem[][]> {
  const claim = {
    ...claimOf(ctx, writer),
    members: writer.host.writesAtOnce,
    changeSetId: writer.changeSetId,
    isReserved: writer.isReserved,
  };
  return byMember(await ctx.db.transaction('system', (tx) => claimItems(tx, claim)));
}

/** What a writer before this one had begun: after a crash nobody knows how far it came. */
async function takeLeftovers(ctx: WriteContext, writer: Writer): Promise<WrittenItem[][]> {
  if (writer.kind !== 'worker') return [];
  return byMember(await ctx.db.transaction('system', (tx) => takeOrphans(tx, claimOf(ctx, writer), writer.kind)));
}

function byMember(items: readonly WrittenItem[]): WrittenItem[][] {
  return [...Map.groupBy(items, (item) => item.user_id).values()];
}

/** What a look at the platform's roles came to: undefined, or why it could not be looked at. */
type Blindness = { reason: string; retryAfterSeconds?: number } | undefined;

/** What a look at the platform finds, so that its absence from the look ends the stop. */
const visible: ReadonlySet<RoleFault> = new Set([
  'missing',
  'managed',
  'everyone',
  'above-bot',
  'ruling',
  'permission',
  'no-access',
]);

/**
 * Before anything is written: gives up what no rule asks for any more, and looks at the roles on the platform. What cannot
 * be written is stopped before it is tried, and what can be written again is let go on.
 */
async function takeStock(ctx: WriteContext, writer: Writer): Promise<Blindness> {
  const { community, host, signal } = writer;
  const ruled = await selectRuledRoles(ctx.db.system, community.id);
  const concerned = await ctx.db.transaction('system', async (tx) => {
    await lockCommunity(tx, community.id);
    await dropUnruled(tx, community.id, ruled);
    const roleIds = new Set([...ruled, ...(await selectWaitingRoles(tx, community.id))]);
    for (const stop of await selectBreakerRows(tx, community.id))
      if (stop.role_id !== all && !roleIds.has(stop.role_id)) await closeBreaker(tx, stop);
    return [...roleIds];
  });
  if (host.findFaults === undefined || concerned.length === 0) return undefined;
  try {
    await keepFaults(ctx, writer, await host.findFaults(community.community_id, concerned, signal));
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    const { kind, message, retryAfterSeconds } = error;
    if (kind === 'unavailable')
      return { reason: message, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
    await keepFaults(ctx, writer, [{ scope: 'community', fault: 'no-access', advice: message }]);
  }
  return undefined;
}

async function keepFaults(ctx: WriteContext, { community }: Writer, faults: readonly Refusal[]): Promise<void> {
  const isThere = (stop: BreakerRow) => faults.some(({ roleId = all }) => roleId === stop.role_id);
  const breakers = await selectBreakerRows(ctx.db.system, community.id);
  const healed = breakers.filter((stop) => visible.has(stop.fault) && !isThere(stop));
  if (healed.length + faults.length === 0) return;
  await ctx.db.transaction('system', async (tx) => {
    for (const stop of healed) await closeBreaker(tx, stop);
    for (const { roleId, fault, advice } of faults)
      await openBreaker(
        tx,
        community.id,
        { ...(roleId !== undefined && { roleId }), ...(fault && { fault }), advice },
        ctx.clock(),
      );
  });
}
