import {
  keepPreviousData,
  type UseQueryOptions,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { call } from './client.ts';
import type { Answer, Input, ItemOf, PagedRoute, ReadRoute } from './routes.ts';

/** A list that the server pages: what was read so far, and how to read more. */
export interface Pages<Item> {
  items: readonly Item[];
  isLoading: boolean;
  /** What is shown belongs to an earlier question, while the next answer is on its way. */
  isStale: boolean;
  error: unknown;
  hasMore: boolean;
  isLoadingMore: boolean;
  loadMore(): void;
  retry(): void;
}

export function usePages<R extends PagedRoute>(
  route: R,
  input: Input<R>,
  { enabled = true }: { enabled?: boolean } = {},
): Pages<ItemOf<R>> {
  const query = useInfiniteQuery({
    queryKey: [route, input, 'pages'],
    queryFn: ({ pageParam, signal }) => askPage(route, input, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.paginationToken,
    placeholderData: keepPreviousData,
    enabled,
  });
  return {
    items: (query.data?.pages ?? []).flatMap((page) => page.items),
    isLoading: query.isLoading,
    isStale: query.isPlaceholderData,
    error: query.error,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    retry: () => void query.refetch(),
  };
}

interface OnePage<Item> {
  items: readonly Item[];
  paginationToken?: string;
}

// That the route is paged is known to its type alone.
function askPage<R extends PagedRoute>(
  route: R,
  input: Input<R>,
  paginationToken: string | undefined,
  signal: AbortSignal,
): Promise<OnePage<ItemOf<R>>> {
  const page: unknown = ask(route, paginationToken === undefined ? input : { ...input, paginationToken }, signal);
  return page as Promise<OnePage<ItemOf<R>>>;
}

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
