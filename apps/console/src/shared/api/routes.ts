import type { ApiIndex, CallInput, CallResult } from '@latchkey/client';
import type { Api } from '@latchkey/core';

/** Every operation by its route, as `GET /client-apps/{id}`. */
export type Route = keyof ApiIndex<Api> & string;
export type ReadRoute = Extract<Route, `GET ${string}`>;
export type Input<R extends Route> = CallInput<ApiIndex<Api>[R]>;
export type Answer<R extends Route> = CallResult<ApiIndex<Api>[R]>;

/** Operations that answer with a page of items and a token for the next. */
export type PagedRoute = {
  [R in ReadRoute]: Answer<R> extends { items: readonly unknown[]; paginationToken?: string | undefined } ? R : never;
}[ReadRoute];
export type ItemOf<R extends Route> = Answer<R> extends { items: readonly (infer Item)[] } ? Item : never;
