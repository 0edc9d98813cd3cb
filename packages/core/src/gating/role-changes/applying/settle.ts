import type { Tx } from '@latchkey/db';
import { addSeconds, observed } from '@latchkey/kernel';
import type { CommunityRow } from '../../../communities/community-records/index.ts';
import { markLeft, putMembers, type SeenMember } from '../../../communities/memberships/index.ts';
import type { Refusal } from '../../../ports/index.ts';
import type { Context } from '../../../shared/context.ts';
import { record } from '../ledger/record.ts';
import { lockCommunity } from '../planning/change-set-queries.ts';
import { breakerOf, endTrials, openBreaker, sameRefusals } from './breaker-queries.ts';
import {
  type ClaimedItem,
  countWritten,
  type ItemRef,
  returnItems,
  settleItems,
  type Writer,
} from './write-queries.ts';

export type WrittenItem = ClaimedItem & { is_outdated?: boolean };

interface Failed {
  items: readonly WrittenItem[];
  outcome: { reason: string; retryAfterSeconds?: number };
}

/** Changes that something else applies when it next calls. */
export interface Waiting {
  items: readonly WrittenItem[];
  outcome: { reason: string; retryAfterSeconds: number };
}

/** The outcome of one member's changes. Every item is in exactly one of the lists. */
export interface Result {
  /** Visible on the platform because of our write. */
  confirmed?: readonly WrittenItem[];
  /** There was nothing to do. */
  dropped?: readonly WrittenItem[];
  /** The member has left. */
  gone?: readonly WrittenItem[];
  forbidden?: readonly { items: readonly WrittenItem[]; refusal: Refusal }[];
  failed?: readonly Failed[];
  waiting?: readonly Waiting[];
  /** Not tried: the member must accept the server's rules first. */
  screened?: readonly WrittenItem[];
  /** Not tried: the run was out of time. */
  untried?: readonly WrittenItem[];
  /** The id of the member if they are no longer in the community, whatever happened to the items. */
  left?: string;
  /** The member's roles as read from the platform. */
  seen?: SeenMember;
}

const mostTries = 8;
const longestPauseSeconds = 600;
const screeningPauseSeconds = 60;

/**
 * Stores the outcome of writes. A change, its ledger row and the member's roles are written in one transaction, so
 * readers see all of them or none. Skips items that another writer has claimed in the meantime.
 */
export async function settleResults(
  ctx: Pick<Context, 'clock' | 'db' | 'random'>,
  { community, claimedBy }: { community: CommunityRow; claimedBy: string },
  results: readonly Result[],
): Promise<void> {
  if (results.length === 0) return;
  const writer = { communityId: community.id, claimedBy };
  const confirmed = results.flatMap((result) => result.confirmed ?? []);
  const gone = results.flatMap((result) => result.gone ?? []);
  const own = await ctx.db.transaction('system', async (tx) => {
    // Keeps new change sets from replacing items while these are returned to the queue.
    if (results.some(needsRequeue)) await lockCommunity(tx, community.id);
    const mine = new Set((await settleItems(tx, writer, confirmed, 'confirmed')).map(keyOf));
    const written = confirmed.filter((item) => mine.has(keyOf(item)));
    const recorded = await record(ctx, tx, community, written);
    await endTrials(tx, community.id, confirmed);
    const dropped = results.flatMap((result) => result.dropped ?? []);
    const superseded = dropped.filter((item) => item.is_outdated);
    const done = dropped.filter((item) => !item.is_outdated);
    await settleItems(tx, writer, superseded, 'dropped', { dropReason: 'superseded' });
    await settleItems(tx, writer, done, 'dropped', { dropReason: 'already-done' });
    await settleItems(tx, writer, gone, 'gone');
    for (const result of results.filter(needsRequeue)) await requeue(ctx, tx, writer, result);
    // In every settlement, members are written last. Otherwise two settlements of one community could deadlock on
    // breakers and members.
    const leaving = [...new Set([...gone.map((item) => item.user_id), ...results.flatMap(({ left }) => left ?? [])])];
    if (leaving.length > 0) await markLeft(tx, community.id, leaving, ctx.clock());
    const seen = results.flatMap((result) => result.seen ?? []);
    await putMembers(tx, community.id, seen, ctx.clock());
    await countWritten(tx, community.id, recorded);
    return written;
  });
  countOutcomes(community, results, own, ctx.clock());
}

function needsRequeue({ forbidden = [], failed = [], waiting = [], untried = [], screened = [] }: Result): boolean {
  return forbidden.length + failed.length + waiting.length + untried.length + screened.length > 0;
}

/** Splits items into those that these roles already reflect and those left to write. */
export function splitByTruth(
  items: readonly WrittenItem[],
  held: readonly string[],
): { done: WrittenItem[]; left: WrittenItem[] } {
  const isTrue = (item: WrittenItem) => held.includes(item.role_id) === (item.action === 'grant');
  return { done: items.filter(isTrue), left: items.filter((item) => !isTrue(item)) };
}

function keyOf({ change_set_id, user_id, role_id }: ItemRef): string {
  return `${change_set_id}/${user_id}/${role_id}`;
}

async function requeue(
  ctx: Pick<Context, 'clock'>,
  tx: Tx,
  writer: Writer,
  { forbidden = [], failed = [], waiting = [], untried = [], screened = [] }: Result,
): Promise<void> {
  await returnItems(tx, writer, untried, { tried: false });
  await returnItems(tx, writer, screened, {
    error: 'Waiting for the member to accept the server’s rules.',
    dueAt: addSeconds(ctx.clock(), screeningPauseSeconds),
    tried: false,
  });
  for (const part of failed) await requeueFailed(ctx, tx, writer, part);
  for (const { items, outcome } of waiting)
    await returnItems(tx, writer, items, {
      error: outcome.reason,
      dueAt: addSeconds(ctx.clock(), outcome.retryAfterSeconds),
      tried: 'once',
    });
  for (const { items, refusal } of forbidden) {
    for (const userId of new Set(items.map((item) => item.user_id)))
      await openBreaker(tx, writer.communityId, breakerOf(refusal, userId), ctx.clock());
    await returnItems(tx, writer, items, { error: refusal.advice, tried: false });
  }
}

async function requeueFailed(
  ctx: Pick<Context, 'clock'>,
  tx: Tx,
  writer: Writer,
  { items, outcome: { reason: error, retryAfterSeconds = 0 } }: Failed,
): Promise<void> {
  for (const [tries, alike] of Map.groupBy(items, (item) => item.tries)) {
    if (tries + 1 >= mostTries) {
      await settleItems(tx, writer, alike, 'failed', { error });
      continue;
    }
    const pauseSeconds = Math.max(retryAfterSeconds, Math.min(2 ** tries, longestPauseSeconds));
    const dueAt = new Date(ctx.clock().getTime() + pauseSeconds * 1000);
    await returnItems(tx, writer, alike, { error, dueAt, tried: true });
  }
}

/** Counts outcomes in the metrics. Only changes that this writer confirmed count as confirmed, each once. */
function countOutcomes(
  { platform }: Pick<CommunityRow, 'platform'>,
  results: readonly Result[],
  confirmed: readonly WrittenItem[],
  now: Date,
): void {
  for (const item of confirmed)
    observed.roleChange.record({ platform, action: item.action, outcome: 'confirmed', ...waitOf(item, now) });
  for (const { forbidden = [], failed = [] } of results) {
    for (const { items } of forbidden)
      for (const { action } of items) observed.roleChange.record({ platform, action, outcome: 'refused' });
    for (const { items } of failed)
      for (const { action } of items) observed.roleChange.record({ platform, action, outcome: 'failed' });
  }
}

/** How long the check that led to a change was due. Absent for approved changes, which waited for an admin. */
function waitOf({ is_automatic, queued_at, cause }: WrittenItem, now: Date): { cause?: string; seconds?: number } {
  if (!is_automatic || queued_at === null) return {};
  const seconds = Math.max(0, (now.getTime() - queued_at.getTime()) / 1000);
  return { cause: cause.includes(',') ? 'several' : cause, seconds };
}

/** Changes that were not tried, and why. */
export interface Aside {
  items: readonly WrittenItem[];
  refusal: Refusal;
}

/** What one run has learned about refused roles, shared by all members written in parallel. */
export class Findings {
  readonly #refusals = new Map<string, Refusal>();
  readonly #refusedTo = new Map<string, Set<string>>();
  #community: Refusal | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  /**
   * Shares a refusal with the other members. A role that is refused for several members one by one is itself at fault.
   */
  note(refusal: Refusal, userId: string): void {
    const { roleId, scope = 'role' } = refusal;
    if (scope === 'community') this.#community = refusal;
    if (roleId === undefined || scope === 'member') return;
    const members = (this.#refusedTo.get(roleId) ?? new Set()).add(userId);
    this.#refusedTo.set(roleId, members);
    if (scope === 'role' || members.size >= sameRefusals) this.#refusals.set(roleId, { ...refusal, scope: 'role' });
  }

  /** Splits these changes into those still to try and those that known refusals rule out. */
  sort(items: readonly WrittenItem[]): { free: readonly WrittenItem[]; aside: Aside[] } {
    if (this.#community !== undefined) return { free: [], aside: [{ items, refusal: this.#community }] };
    const free = items.filter((item) => !this.#refusals.has(item.role_id));
    const aside = items.flatMap((item) => {
      const refusal = this.#refusals.get(item.role_id);
      return refusal === undefined ? [] : [{ items: [item], refusal }];
    });
    return { free, aside };
  }

  /** Runs one task at a time: while one member's changes are bisected to find the refused one, the others wait. */
  alone<Value>(work: () => Promise<Value>): Promise<Value> {
    const next = this.#turn.then(work, work);
    this.#turn = next.catch(() => undefined);
    return next;
  }
}
