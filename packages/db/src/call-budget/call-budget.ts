import { sql } from 'kysely';
import type { Database, Tx } from '../database.ts';
import {
  addRefusals,
  blockAll,
  countRefusals,
  lockBudget,
  type Now,
  putBlock,
  putReturns,
  putShare,
  selectBlocks,
  selectReturns,
  selectShares,
} from './queries.ts';

/** What a process reports about its calls to a platform. */
export interface CallReport {
  /** How many calls it could have in flight or just finished at a time. */
  wanted: number;
  /** How many of them cannot be deferred. */
  urgent: number;
  /** How many slots it keeps using. */
  busy: number;
  /** Returned slots: for how many milliseconds the last call of each still counts. */
  returns: readonly number[];
  /** Calls that were refused since the last report. */
  refused: number;
  /** For how long the platform accepts no calls at all. */
  blockedMs: number;
  /** Routes that the platform rate-limited since the last report. */
  blocks: readonly { route: string; ms: number }[];
}

/** What it may do until its next report. */
export interface CallGrant {
  /** The number of slots. A slot is one call that is in flight or was answered less than a second ago. */
  places: number;
  /** It should have more, and some may be free after this time. */
  moreInMs?: number;
  /** How long the slots are reserved for it, from the report on. */
  goodForMs: number;
  /** For how long no process may call. */
  blockedMs: number;
  /** Rate-limited routes, no matter which process found out. */
  blocks: readonly { route: string; ms: number }[];
}

export interface CallBudgetOptions {
  /** The bot whose calls they are. All processes with the same name share them. */
  name: string;
  /** A unique name of this process. */
  owner: string;
  /** How many calls all processes together may have in flight or just finished. */
  places?: number;
  /** After this many refusals within ten minutes, no process calls for a while. */
  mostRefusals?: number;
  /** Set manually in benchmarks; by default, the database's clock. */
  nowMs?: () => number;
}

const ttlMs = 10_000;

/** Shares the calls that a bot may make among all processes, by what each can use. */
export interface CallBudget {
  report(report: CallReport): Promise<CallGrant>;
}

/**
 * Shares the calls of a bot among processes by what each can use. A slot is one call that is in flight or was answered
 * less than a second ago; the total number of slots never exceeds what the platform allows in a second. A slot belongs
 * to its process until it is returned, or the process is silent for ten seconds. One that is returned while its last
 * call still counts is free as soon as that no longer does.
 */
export function openCallBudget(
  db: Pick<Database, 'transaction'>,
  { name, owner, places: all = 50, mostRefusals = 5_000, nowMs }: CallBudgetOptions,
): CallBudget {
  const moment = (): Now =>
    nowMs === undefined ? sql<Date>`clock_timestamp()` : sql<Date>`${new Date(nowMs())}::timestamptz`;

  async function grantIn(tx: Tx, report: CallReport): Promise<CallGrant> {
    const now = moment();
    const { blockedMs } = await lockBudget(tx, name, now);
    if (report.returns.length > 0) await putReturns(tx, name, report.returns, now);
    const returned = await selectReturns(tx, name, now);
    const shares = await selectShares(tx, name, now);
    const held = shares.find((share) => share.owner === owner)?.places ?? 0;
    const others = shares.filter((share) => share.owner !== owner);
    const taken = others.reduce((sum, share) => sum + share.places, 0);
    const { wanted, urgent } = report;
    const wants = [...others, { owner, wanted, urgent }].toSorted((a, b) => (a.owner < b.owner ? -1 : 1));
    const fair = shareOut(new Map(wants.map((want) => [want.owner, want])), all).get(owner) ?? 0;
    const places = Math.max(0, Math.min(fair, all - taken - returned.places));
    // Slots in use stay with their process until they are returned, even if they must not be used again.
    const kept = Math.max(places, Math.min(held, report.busy));
    await putShare(tx, name, { owner, places: kept, wanted, urgent }, now, ttlMs);
    if (report.blockedMs > 0) await blockAll(tx, name, report.blockedMs, now);
    for (const { route, ms } of report.blocks) await putBlock(tx, name, route, ms, now);
    const pauseMs = await pauseAfterRefusals(tx, report.refused, now);
    return {
      places,
      ...(places < fair && returned.nextMs !== undefined && { moreInMs: returned.nextMs }),
      goodForMs: (ttlMs * 2) / 3,
      blockedMs: Math.max(blockedMs, report.blockedMs, pauseMs),
      blocks: await selectBlocks(tx, name, now),
    };
  }

  async function pauseAfterRefusals(tx: Tx, refused: number, now: Now): Promise<number> {
    if (refused > 0) await addRefusals(tx, name, refused, now);
    const { count, clearsInMs } = await countRefusals(tx, name, now);
    return count < mostRefusals ? 0 : clearsInMs;
  }

  return { report: (report) => db.transaction('system', (tx) => grantIn(tx, report)) };
}

/** What one process could use. */
interface Want {
  wanted: number;
  /** How much of it cannot be deferred. */
  urgent: number;
}

/**
 * Distributes slots so that no process gets more than it can use, and none could get more without taking from one that
 * has less. Urgent work comes before deferrable work, except that every process that wants something gets one slot
 * first. The remainder goes to the first in the list.
 */
export function shareOut(wants: ReadonlyMap<string, Want>, places: number): Map<string, number> {
  const shares = new Map([...wants.keys()].map((owner) => [owner, 0]));
  let left = places;
  for (const limitOf of [
    ({ wanted }: Want) => Math.min(1, wanted),
    ({ wanted, urgent }: Want) => Math.min(urgent, wanted),
    ({ wanted }: Want) => wanted,
  ]) {
    for (; left > 0; left -= 1) {
      const open = [...wants].filter(([owner, want]) => (shares.get(owner) ?? 0) < limitOf(want));
      const least = Math.min(...open.map(([owner]) => shares.get(owner) ?? 0));
      const next = open.find(([owner]) => shares.get(owner) === least);
      if (next === undefined) break;
      shares.set(next[0], least + 1);
    }
  }
  return shares;
}
