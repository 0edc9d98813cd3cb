import type { ItemOf } from '../../shared/api/index.ts';

export type Entry = ItemOf<'GET /latchkey/communities/{communityId}/activity'>;

/** One line of the activity: an entry, or role changes that belong together. */
export interface ActivityLine {
  /** The newest of them. */
  entry: Entry;
  /** How many different members it is about. */
  members: number;
  /** The role changes that it names, one per role: the same members have all of them. */
  changes: readonly Entry[];
  /** There may be more of them on a page that is not loaded yet. */
  isCut: boolean;
}

/**
 * Consecutive role changes of one change set become one line per role. Roles that the same members get or lose share a line. Changes are
 * written member by member, so the roles of a change set alternate.
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
  const isCut = isLast && membersIn(run) > 1;
  const byRole = [...Map.groupBy(run, ({ kind, roleId }) => `${kind} ${roleId}`).values()];
  // Whether two roles have the same members is not known while some changes are on a page that is not loaded yet.
  const lines = isCut ? byRole.map((group) => [group]) : [...Map.groupBy(byRole, membersOf).values()];
  return lines.flatMap((groups) => {
    const changes = groups.flatMap(([first]) => first ?? []);
    const [entry] = changes;
    const all = groups.flat();
    if (entry === undefined) return [];
    return [{ entry, members: membersIn(all), changes, isCut: isCut && all.length > 1 }];
  });
}

function membersOf(group: readonly Entry[]): string {
  const members = new Set(group.map(({ userId }) => userId));
  return JSON.stringify([group[0]?.kind, ...[...members].toSorted()]);
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
