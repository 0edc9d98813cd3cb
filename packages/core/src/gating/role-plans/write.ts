import { type CommunityRow, nativeUserId } from '../../communities/communities/index.ts';
import type { Context } from '../../context.ts';
import { PlatformFailed, type RoleHost, type WriteOutcome } from '../../ports/index.ts';
import { createSortByPower, type SortByPower } from './ruling-roles.ts';
import { type Result, settleResults, splitByTruth, type WrittenItem } from './settle.ts';
import { claimItems, takeOrphans } from './write-queries.ts';

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
  planId?: string | undefined;
}

const claimSeconds = 120;

/**
 * Writes the waiting changes of one community, one call per member that carries all of its changes, as many members at a
 * time as the platform likes best. What came of the calls is kept in batches, while the next calls are under way. Answers
 * whether it stopped for lack of time.
 */
export async function writeRoles(ctx: WriteContext, writer: Writer): Promise<'through' | 'more'> {
  const waiting = await takeLeftovers(ctx, writer);
  const running = new Set<Promise<void>>();
  let results: Result[] = [];
  let failure: unknown;
  const sortByPower = createSortByPower(writer.host, writer.community, writer.signal);
  const start = (items: readonly WrittenItem[]) => {
    const written: Promise<void> = writeMember(ctx, writer, items, sortByPower)
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
  return isThrough ? 'through' : 'more';
}

function claimOf(ctx: WriteContext, { community, claimedBy }: Writer) {
  const now = ctx.clock();
  return { communityId: community.id, claimedBy, now, claimedUntil: new Date(now.getTime() + claimSeconds * 1000) };
}

/** The changes of the next members, in the order in which they are to be written. */
async function takeNext(ctx: WriteContext, writer: Writer): Promise<WrittenItem[][]> {
  const claim = { ...claimOf(ctx, writer), members: writer.host.writesAtOnce, planId: writer.planId };
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

/** Writes all changes of one member, as far as the platform does not show them yet. */
async function writeMember(
  ctx: WriteContext,
  writer: Writer,
  items: readonly WrittenItem[],
  sortByPower: SortByPower,
): Promise<Result> {
  const { community, host, signal } = writer;
  const [first] = items;
  const userId = first && nativeUserId(community.platform, first.user_id);
  if (first === undefined || userId === undefined) return { gone: items };
  // What was tried before may have been written: only the platform knows.
  const held = items.some(wasTried) ? await readHeld(ctx, writer, userId) : { roleIds: first.role_ids ?? [] };
  if ('gone' in held) return { ...splitByTry(items), left: first.user_id };
  if ('failure' in held) return { failed: { items, outcome: held.failure } };
  const { done, left } = splitByTruth(items, held.roleIds);
  // A newer wish waits for the others, or somebody else did it meanwhile: nothing to write, and nothing of ours to record.
  const current = left.filter((item) => !item.is_outdated);
  const known: Result = {
    confirmed: done.filter(wasTried),
    dropped: [...done.filter((item) => !wasTried(item)), ...left.filter((item) => item.is_outdated)],
    ...(held.seenAt !== undefined && { seen: { userId: first.user_id, roleIds: held.roleIds, seenAt: held.seenAt } }),
  };
  if (current.length === 0) return known;
  const sorted = await sortByPower(current);
  if ('refused' in sorted) return { ...known, ...refusal(current, sorted.refused) };
  const { free, aside } = sorted;
  if (free.length === 0) return { ...known, forbidden: aside };
  const outcome = await host.writeMember(
    {
      communityId: community.community_id,
      userId,
      add: rolesOf(free, 'grant'),
      remove: rolesOf(free, 'revoke'),
      held: held.roleIds,
      reason: `Latchkey plan ${first.plan_id}`,
    },
    signal,
  );
  if (outcome.kind === 'gone') return { ...known, gone: current };
  if (outcome.kind !== 'written') return { ...known, ...refusal(free, outcome, aside) };
  const after = splitByTruth(free, outcome.roleIds);
  // No call was needed: somebody else had done it.
  const ours = outcome.calls > 0 ? after.done : after.done.filter(wasTried);
  return {
    confirmed: [...(known.confirmed ?? []), ...ours],
    dropped: [...(known.dropped ?? []), ...after.done.filter((item) => !ours.includes(item))],
    ...(after.left.length > 0 && { failed: { items: after.left, outcome: lost } }),
    ...(aside.length > 0 && { forbidden: aside }),
    ...(outcome.hasLeft
      ? { left: first.user_id }
      : { seen: { userId: first.user_id, roleIds: outcome.roleIds, seenAt: ctx.clock() } }),
  };
}

/** What becomes of changes that the platform did not take, beside those that were laid aside before. */
function refusal(
  items: readonly WrittenItem[],
  outcome: Extract<WriteOutcome, { kind: 'forbidden' | 'failed' }>,
  aside: NonNullable<Result['forbidden']> = [],
): Result {
  if (outcome.kind === 'forbidden') return { forbidden: [...aside, { items, outcome }] };
  return { failed: { items, outcome }, ...(aside.length > 0 && { forbidden: aside }) };
}

/** Somebody who is gone has lost what was to be taken: by our doing, if it was tried. */
function splitByTry(items: readonly WrittenItem[]): Pick<Result, 'confirmed' | 'gone'> {
  const isDone = (item: WrittenItem) => item.action === 'revoke' && wasTried(item) && !item.is_outdated;
  return { confirmed: items.filter(isDone), gone: items.filter((item) => !isDone(item)) };
}

const lost = { reason: 'The platform took the change but does not show it.' };

type Held =
  | { roleIds: readonly string[]; seenAt?: Date }
  | { gone: true }
  | { failure: { reason: string; retryAfterSeconds?: number } };

async function readHeld(ctx: WriteContext, { community, host, signal }: Writer, userId: string): Promise<Held> {
  const seenAt = ctx.clock();
  try {
    const member = await host.readMember(community.community_id, userId, signal);
    return member === undefined ? { gone: true } : { roleIds: member.roleIds, seenAt };
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    const { message: reason, retryAfterSeconds } = error;
    return { failure: { reason, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) } };
  }
}

function wasTried(item: WrittenItem): boolean {
  return item.tries > 0;
}

function rolesOf(items: readonly WrittenItem[], action: WrittenItem['action']): string[] {
  return items.filter((item) => item.action === action).map((item) => item.role_id);
}
