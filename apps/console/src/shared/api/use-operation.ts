import { keepPreviousData, type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { call } from './client.ts';
import type { Answer, Input, ReadRoute } from './routes.ts';

interface Wishes {
  /** Whether to ask at all; a condition that is not met yet. */
  enabled?: boolean;
  /** Shows what was there while the next is on its way: for searches and filters. */
  keepsPrevious?: boolean;
  /** Asks again after this time, for what no live event tells. */
  everyMs?: number;
}

/** Asks a GET operation, keeps its answer, and asks again when something says that it has changed. */
export function useOperation<R extends ReadRoute>(
  route: R,
  input: Input<R>,
  { enabled = true, keepsPrevious = false, everyMs }: Wishes = {},
): UseQueryResult<Answer<R>> {
  return useQuery<Answer<R>>({
    queryKey: [route, input],
    queryFn: ({ signal }) => ask(route, input, signal),
    enabled,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
  } as UseQueryOptions<Answer<R>>);
}

/** One call of a GET operation, outside of a component. */
export function ask<R extends ReadRoute>(route: R, input: Input<R>, signal?: AbortSignal): Promise<Answer<R>> {
  // The client's signature decides by the route whether it takes an input, which cannot be said of all routes at once.
  const send = call as unknown as (route: R, input: Input<R>, options: { signal?: AbortSignal }) => Promise<Answer<R>>;
  return send(route, input, signal === undefined ? {} : { signal });
}
