import type { Query, QueryClient } from '@tanstack/react-query';

type Matches = (queryKey: readonly unknown[]) => boolean;

/** Questions on their way for the first time that have to be asked once more. */
const askedTwice = new WeakSet<Query>();

/**
 * Asks again what matches. A first answer that is on its way may have been written before the change, and cannot be called
 * back: it is asked for once more when it is there.
 */
export function askAgain(queries: QueryClient, matches: Matches): void {
  const predicate = ({ queryKey }: { queryKey: readonly unknown[] }) => matches(queryKey);
  const first = queries.getQueryCache().findAll({ predicate }).filter(isFirst);
  void queries.invalidateQueries({ predicate });
  for (const query of first) void askOnceMore(queries, query);
}

function isFirst(query: Query): boolean {
  return query.state.data === undefined && query.state.fetchStatus !== 'idle' && !askedTwice.has(query);
}

async function askOnceMore(queries: QueryClient, query: Query): Promise<void> {
  askedTwice.add(query);
  await query.promise?.catch(() => undefined);
  askedTwice.delete(query);
  await queries.invalidateQueries({ queryKey: query.queryKey, exact: true });
}

const daySeconds = 86_400;

/** For how many seconds what the page shows has been there: the oldest answer counts. The server takes a day at most. */
export function shownForSeconds(queries: QueryClient, openedAtMs: number, nowMs: number): number {
  const shown = queries.getQueryCache().findAll({ type: 'active' });
  const answeredAtMs = shown.map(({ state }) => state.dataUpdatedAt).filter((atMs) => atMs > 0);
  const seconds = Math.ceil((nowMs - Math.min(openedAtMs, ...answeredAtMs)) / 1000);
  return Math.min(daySeconds, Math.max(0, seconds));
}
