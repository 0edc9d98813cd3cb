import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { Input, ItemOf, PagedRoute } from './routes.ts';
import { ask } from './use-operation.ts';

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
