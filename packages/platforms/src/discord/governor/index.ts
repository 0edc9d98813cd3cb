export { type Answered, Governor, type GovernorOptions, GovernorPaused } from './governor.ts';
export type { Priority } from './lane.ts';
export { type Method, type Route, routeOf } from './route.ts';
export { monotonicTime, type Time } from './time.ts';
