import { addSeconds, isObject } from '@latchkey/kernel';
import type { CommunityRow } from '../../../communities/community-records/index.ts';
import { selectRetiredRoles } from '../../../communities/rule-records/index.ts';
import { PlatformFailed, type Refusal, type RoleFault, type RoleHost } from '../../../ports/index.ts';
import type { Context } from '../../../shared/context.ts';
import { nativeUserId } from '../../../shared/qualified-ids.ts';
import { lockCommunity } from '../planning/change-set-queries.ts';
import {
  all,
  type BreakerRow,
  closeBreaker,
  endIdleTrials,
  openBreaker,
  selectBreakerRows,
} from './breaker-queries.ts';
import { readHeld } from './read-held.ts';
import {
  type Aside,
  Findings,
  type Result,
  settleResults,
  splitByTruth,
  type Waiting,
  type WrittenItem,
} from './settle.ts';
import { claimItems, dropUnruled, selectRuledRoles, selectWaitingRoles, takeOrphans } from './write-queries.ts';

export type WriteContext = Pick<Context, 'clock' | 'db' | 'random' | 'log'>;

/** Who writes, where and for how long. */
export interface Writer {
  community: CommunityRow;
  host: RoleHost;
  /** The queue runs one `worker` per community; others only claim what is unclaimed. */
  kind: 'worker' | 'now';
  claimedBy: string;
  signal: AbortSignal;
  /** No more items are claimed after this time. */
  until: Date;
  changeSetId?: string | undefined;
  /** The change set's items were reserved for this writer, so that no other writer starts them. */
  isReserved?: boolean;
}

/** State shared by all members of one run. */
export interface Run {
  findings: Findings;
  /** Why the permissions of roles are unknown, if they are. */
  unreadRoles: UnreadRoles;
}

/** How long a claim or reservation lasts; after that, other writers may take over. */
export const claimSeconds = 120;
/** How long the roles read from the platform stay valid. */
const rolesFreshSeconds = 10;

/**
 * Writes the pending changes of one community, with one call per member that carries all of the member's changes, and
 * as many members in parallel as the platform allows. Results are stored in batches while the next calls run. Returns
 * `more` if it ran out of time.
 */
export async function writeRoles(ctx: WriteContext, writer: Writer): Promise<'through' | 'more'> {
  const run: Run = { findings: new Findings(), unreadRoles: await prepareRun(ctx, writer) };
  let preparedUntil = addSeconds(ctx.clock(), rolesFreshSeconds);
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
  let isDone = false;
  while (hasTime() && !isDone) {
    if (ctx.clock() >= preparedUntil) {
      run.unreadRoles = await prepareRun(ctx, writer);
      preparedUntil = addSeconds(ctx.clock(), rolesFreshSeconds);
    }
    if (waiting.length === 0) waiting.push(...(await takeNext(ctx, writer)));
    while (waiting.length > 0 && running.size < writer.host.writesAtOnce) start(waiting.shift() ?? []);
    isDone = running.size === 0 && results.length === 0;
    if (running.size > 0 && results.length === 0) await Promise.race(running);
    const settled = results;
    results = [];
    await settleResults(ctx, writer, settled);
  }
  await Promise.all(running);
  await settleResults(ctx, writer, [...results, ...waiting.map((untried) => ({ untried }))]);
  if (failure !== undefined) throw failure;
  if (isDone) await ctx.db.transaction('system', (tx) => endIdleTrials(tx, writer.community.id));
  return isDone ? 'through' : 'more';
}

function claimOf(ctx: WriteContext, { community, claimedBy }: Writer) {
  const now = ctx.clock();
  return { communityId: community.id, claimedBy, now, claimedUntil: addSeconds(now, claimSeconds) };
}

/** Claims the changes of the next members, in the order in which they are written. */
async function takeNext(ctx: WriteContext, writer: Writer): Promise<WrittenItem[][]> {
  const claim = {
    ...claimOf(ctx, writer),
    members: writer.host.writesAtOnce,
    changeSetId: writer.changeSetId,
    isReserved: writer.isReserved,
  };
  return byMember(await ctx.db.transaction('system', (tx) => claimItems(tx, claim)));
}

/** Claims what an earlier writer had begun: after a crash it is unknown how much of it was written. */
async function takeLeftovers(ctx: WriteContext, writer: Writer): Promise<WrittenItem[][]> {
  if (writer.kind !== 'worker') return [];
  return byMember(await ctx.db.transaction('system', (tx) => takeOrphans(tx, claimOf(ctx, writer), writer.kind)));
}

function byMember(items: readonly WrittenItem[]): WrittenItem[][] {
  return [...Map.groupBy(items, (item) => item.user_id).values()];
}

/** Undefined if the roles on the platform could be read, otherwise why not. */
type UnreadRoles = { reason: string; retryAfterSeconds?: number } | undefined;

/** Faults that reading the platform's roles reveals: if one is no longer found, its breaker is closed. */
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
 * Prepares a run: drops changes that no rule requires any more and reads the roles on the platform. Roles that cannot
 * be written are blocked before a write is tried, and roles that can be written again are unblocked.
 */
async function prepareRun(ctx: WriteContext, writer: Writer): Promise<UnreadRoles> {
  const { community, host, signal } = writer;
  const ruled = await selectRuledRoles(ctx.db.system, community.id);
  const retired = await selectRetiredRoles(ctx.db.system, community.id);
  const concerned = await ctx.db.transaction('system', async (tx) => {
    await lockCommunity(tx, community.id);
    await dropUnruled(tx, community.id, [...ruled, ...retired]);
    const roleIds = new Set([...ruled, ...(await selectWaitingRoles(tx, community.id))]);
    for (const breaker of await selectBreakerRows(tx, community.id))
      if (breaker.role_id !== all && !roleIds.has(breaker.role_id)) await closeBreaker(tx, breaker);
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
  const isThere = (breaker: BreakerRow) => faults.some(({ roleId = all }) => roleId === breaker.role_id);
  const breakers = await selectBreakerRows(ctx.db.system, community.id);
  const fixed = breakers.filter((breaker) => visible.has(breaker.fault) && !isThere(breaker));
  if (fixed.length + faults.length === 0) return;
  await ctx.db.transaction('system', async (tx) => {
    for (const breaker of fixed) await closeBreaker(tx, breaker);
    for (const { roleId, fault, advice } of faults)
      await openBreaker(
        tx,
        community.id,
        { ...(roleId !== undefined && { roleId }), ...(fault && { fault }), advice },
        ctx.clock(),
      );
  });
}

/** Writes all changes of one member that the platform does not show yet. */
async function writeMember(
  ctx: WriteContext,
  writer: Writer,
  items: readonly WrittenItem[],
  run: Run,
): Promise<Result> {
  const { community, host, signal } = writer;
  // Who decides a request to join writes that at once, and decides again if its process died. By now another request may be open, which
  // this decision was not about.
  const stale = writer.isReserved === true ? [] : items.filter((item) => item.is_join_request);
  if (stale.length > 0) {
    const rest = items.filter((item) => !stale.includes(item));
    const result = rest.length === 0 ? {} : await writeMember(ctx, writer, rest, run);
    return { ...result, dropped: [...(result.dropped ?? []), ...stale] };
  }
  const [first] = items;
  const userId = first && nativeUserId(community.platform, first.user_id);
  if (first === undefined || userId === undefined) return { gone: items };
  const known = { roleIds: first.role_ids ?? [] };
  // An earlier try may have succeeded, and a change that looks done may come from a late event: only the platform
  // knows.
  const isOpen =
    items.some((item) => wasTried(item) || isOfFormer(item)) || splitByTruth(items, known.roleIds).done.length > 0;
  // A member who was pending when last seen may have accepted the rules since.
  const held = (isOpen || first.is_pending) && !first.is_join_request ? await readHeld(ctx, writer, userId) : known;
  if ('gone' in held) return { ...splitByTry(items), left: first.user_id };
  const hasLeft = 'hasLeft' in held && held.hasLeft === true;
  // Who came back is checked like any member, and who left gets nothing.
  const over = items.filter((item) => (hasLeft ? item.action === 'grant' : isOfFormer(item)));
  if (over.length > 0) {
    const rest = items.filter((item) => !over.includes(item));
    const result = rest.length === 0 ? {} : await writeMember(ctx, writer, rest, run);
    return hasLeft
      ? { ...result, gone: [...(result.gone ?? []), ...over] }
      : { ...result, dropped: [...(result.dropped ?? []), ...over] };
  }
  if ('failure' in held) return { failed: [{ items, outcome: held.failure }] };
  if ('isPending' in held && held.isPending) return { screened: items, seen: { userId: first.user_id, ...held } };
  const { settled, current } = splitKnown(items, held);
  const { ungrantable, ready } = splitUngrantable(current, run);
  const sent = await sendChanges({ community, host, userId, signal, findings: run.findings }, ready, held.roleIds);
  // No call was needed: the role had already been changed elsewhere.
  const ours = [...sent.written, ...sent.found.filter(wasTried)];
  const ended = splitByTry(sent.gone);
  return {
    confirmed: [...settled.confirmed, ...ours, ...ended.confirmed],
    dropped: [...settled.dropped, ...sent.found.filter((item) => !wasTried(item))],
    gone: ended.gone,
    forbidden: sent.refused,
    failed: [...ungrantable, ...sent.failed],
    waiting: sent.waiting,
    ...((sent.hasLeft || sent.gone.length > 0) && { left: first.user_id }),
    ...seenOf(ctx, first.user_id, held, sent),
  };
}

/** Splits changes into those that the member's roles already settle and those left to write. */
function splitKnown(items: readonly WrittenItem[], held: { roleIds: readonly string[] }) {
  const { done, left } = items.some((item) => item.is_join_request)
    ? { done: [], left: [...items] }
    : splitByTruth(items, held.roleIds);
  // A newer change is pending, or the role was changed elsewhere: nothing to write or to record as ours.
  return {
    settled: {
      confirmed: done.filter(wasTried),
      dropped: [...done.filter((item) => !wasTried(item)), ...left.filter((item) => item.is_outdated)],
    },
    current: left.filter((item) => !item.is_outdated),
  };
}

/** While the permissions of roles are unknown, no role is granted. */
function splitUngrantable(items: readonly WrittenItem[], { unreadRoles }: Run) {
  const grants = unreadRoles === undefined ? [] : items.filter(({ action }) => action === 'grant');
  return {
    ungrantable: unreadRoles === undefined || grants.length === 0 ? [] : [{ items: grants, outcome: unreadRoles }],
    ready: items.filter((item) => !grants.includes(item)),
  };
}

function seenOf(
  ctx: WriteContext,
  userId: string,
  held: { roleIds: readonly string[]; seenAt?: Date },
  sent: { roleIds?: readonly string[]; hasLeft: boolean; gone: readonly WrittenItem[] },
): Pick<Result, 'seen'> {
  if (sent.hasLeft || sent.gone.length > 0) return {};
  if (sent.roleIds !== undefined) return { seen: { userId, roleIds: sent.roleIds, seenAt: ctx.clock() } };
  return held.seenAt === undefined ? {} : { seen: { userId, roleIds: held.roleIds, seenAt: held.seenAt } };
}

/** A member who left no longer has the role that was to be removed. It counts as our removal if it was tried. */
function splitByTry(items: readonly WrittenItem[]): { confirmed: WrittenItem[]; gone: WrittenItem[] } {
  const isDone = (item: WrittenItem) => item.action === 'revoke' && wasTried(item) && !item.is_outdated;
  return { confirmed: items.filter(isDone), gone: items.filter((item) => !isDone(item)) };
}

/** Whether a change was decided because the member left. */
function isOfFormer({ reason }: WrittenItem): boolean {
  return isObject(reason) && reason.hasLeft === true;
}

function wasTried(item: WrittenItem): boolean {
  return item.tries > 0;
}

/** A member whose changes are being sent. */
interface Recipient {
  community: CommunityRow;
  host: RoleHost;
  /** The platform's own id. */
  userId: string;
  signal: AbortSignal;
  findings: Findings;
  /** This member's changes are being bisected right now. */
  hasTurn?: boolean;
}

/** The outcome of changes. Each change is in exactly one of the lists. */
interface Sent {
  /** Visible on the platform because of our call. */
  written: readonly WrittenItem[];
  /** Visible on the platform without a call. */
  found: readonly WrittenItem[];
  refused: readonly Aside[];
  failed: readonly { items: readonly WrittenItem[]; outcome: { reason: string; retryAfterSeconds?: number } }[];
  waiting: readonly Waiting[];
  gone: readonly WrittenItem[];
  hasLeft: boolean;
  /** The member's roles as read back; undefined when nothing was written. */
  roleIds?: readonly string[];
}

const nothing: Sent = { written: [], found: [], refused: [], failed: [], waiting: [], gone: [], hasLeft: false };
const lost = { reason: 'The platform accepted the change, but it did not take effect.' };

/**
 * Sends the changes of one member together. If the platform refuses the call, changes that the refusal does not concern
 * are sent again; if it does not name the refused change, the list is bisected until it is known.
 */
async function sendChanges(to: Recipient, items: readonly WrittenItem[], held: readonly string[]): Promise<Sent> {
  const { free, aside } = to.findings.sort(items);
  const before: Sent = { ...nothing, refused: aside };
  const [first] = free;
  if (first === undefined) return before;
  const outcome = await to.host.writeMember(
    {
      communityId: to.community.community_id,
      userId: to.userId,
      add: rolesOf(free, 'grant'),
      remove: rolesOf(free, 'revoke'),
      held,
      reason: `Latchkey change set ${first.change_set_id}`,
      ...(first.is_join_request && { isJoinRequest: true }),
    },
    to.signal,
  );
  switch (outcome.kind) {
    case 'gone':
      return { ...before, gone: free };
    case 'failed':
      return { ...before, failed: [{ items: free, outcome }] };
    case 'waiting':
      return { ...before, waiting: [{ items: free, outcome }] };
    case 'forbidden':
      return merge(before, await isolate(to, free, held, outcome));
    case 'written': {
      const refused = (outcome.refused ?? []).flatMap((refusal) => reached(to, free, refusal));
      const tried = free.filter((item) => !refused.some((part) => part.items.includes(item)));
      const { done, left } = splitByTruth(tried, outcome.roleIds);
      return merge(before, {
        ...nothing,
        ...(outcome.calls > 0 ? { written: done } : { found: done }),
        refused,
        failed: left.length > 0 ? [{ items: left, outcome: lost }] : [],
        hasLeft: outcome.hasLeft ?? false,
        roleIds: outcome.roleIds,
      });
    }
  }
}

/** Finds out which changes a refusal concerns, and sends the rest. */
async function isolate(
  to: Recipient,
  items: readonly WrittenItem[],
  held: readonly string[],
  refusal: Refusal,
): Promise<Sent> {
  const refused = reached(to, items, refusal);
  const rest = items.filter((item) => !refused.some((part) => part.items.includes(item)));
  if (refused.length > 0) return sendInTurn(to, [rest], held, { ...nothing, refused });
  const [only, ...others] = items;
  if (only === undefined) return nothing;
  if (others.length === 0)
    return { ...nothing, refused: reached(to, items, { ...refusal, roleId: only.role_id, scope: 'change' }) };
  const search = async () => {
    const alone = { ...to, hasTurn: true };
    // A search among another member's changes may have found the refused role in the meantime.
    if (to.findings.sort(items).aside.length > 0) return sendChanges(alone, items, held);
    const middle = Math.ceil(items.length / 2);
    return sendInTurn(alone, [items.slice(0, middle), items.slice(middle)], held, nothing);
  };
  return to.hasTurn ? search() : to.findings.alone(search);
}

async function sendInTurn(
  to: Recipient,
  parts: readonly (readonly WrittenItem[])[],
  held: readonly string[],
  before: Sent,
): Promise<Sent> {
  let sent = before;
  for (const part of parts) {
    const [failure] = sent.failed;
    // If the platform is not responding, do not send the rest.
    if (failure !== undefined) sent = merge(sent, { ...nothing, failed: [{ ...failure, items: part }] });
    else if (part.length > 0) sent = merge(sent, await sendChanges(to, part, sent.roleIds ?? held));
  }
  return sent;
}

/** The changes that a refusal concerns, shared with the other members; empty if the refusal does not name any. */
function reached(to: Recipient, items: readonly WrittenItem[], refusal: Refusal): Aside[] {
  const isForAll = refusal.scope === 'community' || refusal.scope === 'member';
  const culprits = isForAll ? items : items.filter((item) => item.role_id === refusal.roleId);
  if (culprits.length === 0) return [];
  to.findings.note(refusal, to.userId);
  return [{ items: culprits, refusal }];
}

function merge(a: Sent, b: Sent): Sent {
  return {
    written: [...a.written, ...b.written],
    found: [...a.found, ...b.found],
    refused: [...a.refused, ...b.refused],
    failed: [...a.failed, ...b.failed],
    waiting: [...a.waiting, ...b.waiting],
    gone: [...a.gone, ...b.gone],
    hasLeft: a.hasLeft || b.hasLeft,
    ...((b.roleIds ?? a.roleIds) && { roleIds: b.roleIds ?? a.roleIds ?? [] }),
  };
}

function rolesOf(items: readonly WrittenItem[], action: WrittenItem['action']): string[] {
  return items.filter((item) => item.action === action).map((item) => item.role_id);
}
