import type { AnyCall, CallOptions, Client } from './client.ts';
import type { CallInput, CallResult, ItemOf, PagedRoute } from './routes.ts';

/** What a list takes, without the token, which is kept track of. */
type ListArguments<R extends PagedRoute> =
  Record<never, never> extends Omit<CallInput<R>, 'paginationToken'>
    ? [input?: Omit<CallInput<R>, 'paginationToken'>, options?: CallOptions]
    : [input: Omit<CallInput<R>, 'paginationToken'>, options?: CallOptions];

interface AnyPage {
  items: readonly unknown[];
  paginationToken?: string;
}

/** The pages of a list, one after the other: `for await (const page of eachPage(call, 'GET /client-apps'))`. */
export async function* eachPage<R extends PagedRoute>(
  call: Client,
  route: R,
  ...[input, options]: ListArguments<R>
): AsyncGenerator<CallResult<R>, void, undefined> {
  // Every paged route has these fields, by its type; the compiler cannot see it while R is open.
  const read = call as AnyCall;
  let paginationToken: string | undefined;
  do {
    const page = (await read(route, { ...input, ...(paginationToken && { paginationToken }) }, options)) as AnyPage;
    yield page as CallResult<R>;
    paginationToken = page.paginationToken;
  } while (paginationToken !== undefined && paginationToken !== '');
}

/** The items of all pages of a list. The next page is asked for when the last item of a page was taken. */
export async function* eachItem<R extends PagedRoute>(
  call: Client,
  route: R,
  ...rest: ListArguments<R>
): AsyncGenerator<ItemOf<R>, void, undefined> {
  for await (const page of eachPage(call, route, ...rest)) yield* (page as { items: ItemOf<R>[] }).items;
}
