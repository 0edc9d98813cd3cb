export { call, requestIdOf } from './client.ts';
export { pauseBeforeRetry, SignedOut, Unreachable } from './failures.ts';
export { useLive } from './live.ts';
export { PresenceContext, usePresence } from './presence.ts';
export type { Answer, Input, ItemOf, ReadRoute, Route } from './routes.ts';
export { type Action, useAction } from './use-action.ts';
export { ask, useOperation } from './use-operation.ts';
export { type Pages, usePages } from './use-pages.ts';
