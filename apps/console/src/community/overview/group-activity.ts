import type { ItemOf } from '../../shared/api/index.ts';

export type Entry = ItemOf<'GET /latchkey/communities/{communityId}/activity'>;

/** One line of the activity: an entry, or role changes of several members that belong together. */
export interface ActivityLine {
  /** The newest of them. */
  entry: Entry;
  /** How many different members it is about. */
  members: number;
  /** There may be more of them on a page that is not loaded yet. */
  isCut: boolean;
}

/** Consecutive role changes that grant or remove the same role in the same change set become one line. */
export function groupActivity(entries: readonly Entry[], hasMore: boolean): ActivityLine[] {
  const groups: Entry[][] = [];
  for (const entry of entries) {
    const group = groups.at(-1);
    const newest = group?.[0];
    if (group !== undefined && newest !== undefined && belongsTo(entry, newest)) group.push(entry);
    else groups.push([entry]);
  }
  return groups.flatMap((group, index) => {
    const [entry] = group;
    if (entry === undefined) return [];
    const members = new Set(group.map(({ userId }) => userId)).size;
    return [{ entry, members, isCut: hasMore && index === groups.length - 1 && group.length > 1 }];
  });
}

function belongsTo(entry: Entry, newest: Entry): boolean {
  return (
    entry.kind !== 'admin-action' &&
    entry.kind === newest.kind &&
    entry.roleId === newest.roleId &&
    entry.changeSetId !== undefined &&
    entry.changeSetId === newest.changeSetId
  );
}
