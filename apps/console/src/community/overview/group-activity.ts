import type { ItemOf } from '../../shared/api/index.ts';

export type Entry = ItemOf<'GET /latchkey/communities/{communityId}/activity'>;

/** One line of the activity: an entry, or role changes that belong together. */
export interface ActivityLine {
  /** The newest of them. */
  entry: Entry;
  /** How many different members it is about. */
  members: number;
  /** The role changes of one member, one per role; otherwise only the entry. */
  changes: readonly Entry[];
  /** There may be more of them on a page that is not loaded yet. */
  isCut: boolean;
}

/**
 * Consecutive role changes of one change set become one line per role, or one line if they are about a single member. They are written
 * member by member, so the roles of a change set alternate.
 */
export function groupActivity(entries: readonly Entry[], hasMore: boolean): ActivityLine[] {
  const runs: Entry[][] = [];
  for (const entry of entries) {
    const run = runs.at(-1);
    const newest = run?.[0];
    if (run !== undefined && newest !== undefined && belongsTo(entry, newest)) run.push(entry);
    else runs.push([entry]);
  }
  return runs.flatMap((run, index) => linesOf(run, hasMore && index === runs.length - 1));
}

function linesOf(run: readonly Entry[], isLast: boolean): ActivityLine[] {
  const isOfOne = membersIn(run) === 1;
  const groups = Map.groupBy(run, ({ kind, roleId }) => (isOfOne ? kind : `${kind} ${roleId}`));
  return [...groups.values()].flatMap((group) => {
    const [entry] = group;
    if (entry === undefined) return [];
    const changes = isOfOne ? [...new Map(group.map((change) => [change.roleId, change])).values()] : [entry];
    return [{ entry, members: membersIn(group), changes, isCut: isLast && !isOfOne && group.length > 1 }];
  });
}

function membersIn(entries: readonly Entry[]): number {
  return new Set(entries.map(({ userId }) => userId)).size;
}

function belongsTo(entry: Entry, newest: Entry): boolean {
  return (
    entry.kind !== 'admin-action' &&
    newest.kind !== 'admin-action' &&
    entry.changeSetId !== undefined &&
    entry.changeSetId === newest.changeSetId
  );
}
