export { call, requestIdOf } from './client.ts';
export { pauseBeforeRetry, SignedOut } from './failures.ts';
export { useLive } from './live.ts';
export {
  type Action,
  type Answer,
  ask,
  type Input,
  type ItemOf,
  type Pages,
  PresenceContext,
  type ReadRoute,
  useAction,
  useOperation,
  usePages,
  usePresence,
} from './operations.ts';
