import type { Operations } from './operations.ts';

/** A method and a path, for example `GET /client-apps/{id}`. */
export type Route = keyof Operations & string;

/** What a call takes: path and query parameters by name, header parameters under `headers`, and the body. */
export type CallInput<R extends Route> = Operations[R]['input'];

/** What a call returns. */
export type CallResult<R extends Route> = Operations[R]['result'];

/** Lists that return a page of items and, unless it is the last, the token of the next page. */
export type PagedRoute = {
  [R in Route]: CallResult<R> extends { items: readonly unknown[]; paginationToken?: string | undefined } ? R : never;
}[Route];

/** One item of a list. */
export type ItemOf<R extends Route> = CallResult<R> extends { items: readonly (infer Item)[] } ? Item : never;
