import { ApiError, type CallInput, type CallResult, type ItemOf, type PagedRoute, type Route } from '@latchkey/client';
import {
  keepPreviousData,
  type UseQueryOptions,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { toast } from '../ui/toasts.tsx';
import { call } from './client.ts';

export type { ItemOf, Route };
export type ReadRoute = Extract<Route, `GET ${string}`>;
export type Input<R extends Route> = CallInput<R>;
export type Answer<R extends Route> = CallResult<R>;

interface ReadOptions {
  /** Whether to send the request at all, for conditions that are not met yet. */
  enabled?: boolean;
  /** Shows the previous data while the next is loading: for searches and filters. */
  keepsPrevious?: boolean;
  /** Refetches at this interval, for data without live events. */
  everyMs?: number;
}

/** Calls a GET operation, caches its response, and refetches when a live event reports a change. */
export function useOperation<R extends ReadRoute>(
  route: R,
  input: Input<R>,
  { enabled = true, keepsPrevious = false, everyMs }: ReadOptions = {},
): UseQueryResult<Answer<R>> {
  return useQuery<Answer<R>>({
    queryKey: [route, input],
    queryFn: ({ signal }) => ask(route, input, signal),
    enabled,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
  } as UseQueryOptions<Answer<R>>);
}

/** Calls a GET operation once, outside of a component. */
export function ask<R extends ReadRoute>(route: R, input: Input<R>, signal?: AbortSignal): Promise<Answer<R>> {
  // The client's signature decides by the route whether it takes an input, which cannot be expressed for all routes at once.
  const send = call as unknown as (route: R, input: Input<R>, options: { signal?: AbortSignal }) => Promise<Answer<R>>;
  return send(route, input, signal === undefined ? {} : { signal });
}

/** A paged list: what was read so far, and how to read more. */
export interface Pages<Item> {
  items: readonly Item[];
  isLoading: boolean;
  /** The data belongs to an earlier request, while the next response is loading. */
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

// Only its type says that the route is paged.
function askPage<R extends PagedRoute>(
  route: R,
  input: Input<R>,
  paginationToken: string | undefined,
  signal: AbortSignal,
): Promise<OnePage<ItemOf<R>>> {
  const page: unknown = ask(route, paginationToken === undefined ? input : { ...input, paginationToken }, signal);
  return page as Promise<OnePage<ItemOf<R>>>;
}

interface ActionOptions<R extends Route> {
  /** The reads to refetch afterwards. */
  changes?: readonly ReadRoute[];
  onDone?: (answer: Answer<R>, input: Input<R>) => void;
  /** Shown in a toast on success, if the page itself does not show it. */
  done?: string | ((answer: Answer<R>, input: Input<R>) => string);
}

/** An action, its state, and its error. Nothing is retried automatically except after a required sign-in. */
export interface Action<R extends Route> {
  /** Runs it. A failure is in `error`, and nothing is thrown. */
  run(input: Input<R>): void;
  /** Runs it, for consecutive steps. Throws what is in `error`. */
  runAsync(input: Input<R>): Promise<Answer<R>>;
  isRunning: boolean;
  error: unknown;
  answer: Answer<R> | undefined;
  /** Clears the error and the response. */
  reset(): void;
}

/**
 * An operation that changes something. If the server requires a fresh sign-in, the user is asked for it, and then the operation is repeated
 * automatically.
 */
export function useAction<R extends Route>(route: R, { changes = [], onDone, done }: ActionOptions<R> = {}): Action<R> {
  const queries = useQueryClient();
  const confirmPresence = usePresence();
  const { mutate, mutateAsync, isPending, error, data, reset } = useMutation<Answer<R>, unknown, Input<R>>({
    mutationFn: async (input) => {
      try {
        return await send(route, input);
      } catch (problem) {
        if (!(problem instanceof ApiError) || problem.code !== 'PRESENCE_REQUIRED') throw problem;
        if (!(await confirmPresence())) throw problem;
        return send(route, input);
      }
    },
    onSuccess: async (answer, input) => {
      await Promise.all(changes.map((read) => queries.invalidateQueries({ queryKey: [read] })));
      if (done !== undefined) toast(typeof done === 'string' ? done : done(answer, input));
      onDone?.(answer, input);
    },
  });
  return {
    run: (input) => mutate(input),
    runAsync: (input) => mutateAsync(input),
    isRunning: isPending,
    error,
    answer: data,
    reset,
  };
}

function send<R extends Route>(route: R, input: Input<R>): Promise<Answer<R>> {
  // The client's signature decides by the route whether it takes an input, which cannot be expressed for all routes at once.
  return (call as unknown as (route: R, input: Input<R>) => Promise<Answer<R>>)(route, input);
}

/** Asks the user to sign in again, and returns whether they did. */
type ConfirmPresence = () => Promise<boolean>;

export const PresenceContext = createContext<ConfirmPresence>(() => Promise.resolve(false));

export function usePresence(): ConfirmPresence {
  return useContext(PresenceContext);
}
