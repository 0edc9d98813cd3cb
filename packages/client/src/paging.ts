import type { AnyCall, CallOptions, Client } from './client.ts';
import type { CallInput, CallResult, ItemOf, PagedRoute } from './routes.ts';

/** The input of a list, without the page token, which is tracked here. */
type ListArguments<R extends PagedRoute> =
  Record<never, never> extends Omit<CallInput<R>, 'paginationToken'>
    ? [input?: Omit<CallInput<R>, 'paginationToken'>, options?: CallOptions]
    : [input: Omit<CallInput<R>, 'paginationToken'>, options?: CallOptions];

interface AnyPage {
  items: readonly unknown[];
  paginationToken?: string;
}

/** Iterates over the pages of a list: `for await (const page of eachPage(call, 'GET /client-apps'))`. */
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

/** Iterates over the items of all pages of a list. The next page is requested after the last item of a page. */
export async function* eachItem<R extends PagedRoute>(
  call: Client,
  route: R,
  ...rest: ListArguments<R>
): AsyncGenerator<ItemOf<R>, void, undefined> {
  for await (const page of eachPage(call, route, ...rest)) yield* (page as { items: ItemOf<R>[] }).items;
}
