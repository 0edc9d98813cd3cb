import type { Context } from '../../shared/context.ts';
import { topic } from './append.ts';
import {
  assignPositions,
  type EventFilter,
  type EventRow,
  hasUnread,
  selectAfter,
  selectBefore,
  selectLast,
  selectRange,
} from './queries.ts';

type ReadContext = Pick<Context, 'db'>;

const batchSize = 5_000;

/** Makes everything that is committed readable. */
async function catchUp(ctx: ReadContext, communityId: string): Promise<void> {
  if (!(await hasUnread(ctx.db.system, communityId))) return;
  const assignSome = () => ctx.db.transaction('system', (tx) => assignPositions(tx, communityId, batchSize));
  while ((await assignSome()) === batchSize);
}

/** A part of the log. */
export interface LogPart {
  events: EventRow[];
  /** The position to read on from. */
  next: number;
  /** Events between the reader's position and these were removed because of their age. */
  hasGap: boolean;
}

/** Reads the events of a community after a position, oldest first. 0 stands for the oldest one that is kept. */
export async function readLog(
  ctx: ReadContext,
  communityId: string,
  { after, limit }: { after: number; limit: number },
): Promise<LogPart> {
  await catchUp(ctx, communityId);
  const { events, removedThrough } = await selectAfter(ctx.db.system, communityId, after, limit);
  const next = events.at(-1)?.position ?? Math.max(after, removedThrough);
  return { events, next, hasGap: after > 0 && after < removedThrough };
}

/** The position of the newest event. */
export async function endOfLog(ctx: ReadContext, communityId: string): Promise<number> {
  await catchUp(ctx, communityId);
  return selectLast(ctx.db.system, communityId);
}

/** Lists the events of a community, newest first. */
export async function listLog(
  ctx: ReadContext,
  communityId: string,
  { before, limit, ...filter }: EventFilter & { before?: number | undefined; limit: number },
): Promise<EventRow[]> {
  if (before === undefined) await catchUp(ctx, communityId);
  return selectBefore(ctx.db.system, communityId, filter, before, limit);
}

/** Lists the events of a community in a time range, or one by its id, oldest first. */
export async function rangeOfLog(
  ctx: ReadContext,
  communityId: string,
  { limit, ...range }: Parameters<typeof selectRange>[2] & { limit: number },
): Promise<EventRow[]> {
  await catchUp(ctx, communityId);
  return selectRange(ctx.db.system, communityId, range, limit);
}

/** Calls `hear` when there may be new events of a community. Returns a function that stops. */
export function watchLog({ bus }: Pick<Context, 'bus'>, communityId: string, hear: () => void): () => void {
  const ends = [
    bus.subscribe(topic, (message) => {
      const { communities } = message as { communities?: unknown };
      if (Array.isArray(communities) && communities.includes(communityId)) hear();
    }),
    bus.onReconnect(hear),
  ];
  return () => {
    for (const end of ends) end();
  };
}
