export { call, pauseBeforeRetry, requestIdOf, SignedOut, Unreachable } from './client.ts';
export { useLive } from './live.ts';
export type { Answer, Input, ItemOf, ReadRoute, Route } from './routes.ts';
export { type Action, PresenceContext, useAction, usePresence } from './use-action.ts';
export { ask, type Pages, useOperation, usePages } from './use-pages.ts';
