import type { CallInput, CallResult, Route } from '@latchkey/client';

export type { ItemOf, PagedRoute, Route } from '@latchkey/client';
export type ReadRoute = Extract<Route, `GET ${string}`>;
export type Input<R extends Route> = CallInput<R>;
export type Answer<R extends Route> = CallResult<R>;
