/** Tells a process its place in the group, for example 2/4. */
export const placeVariable = 'LATCHKEY_PLACE_AMONG_PROCESSES';

/** The metrics of one process, as the metrics library exports them. */
export type Metrics = readonly object[];

/** A message from a process to its parent. */
export type FromMember =
  | { kind: 'serving' }
  | { kind: 'metrics'; id: number; metrics: Metrics }
  | { kind: 'collect-metrics'; id: number };

/** A message from the parent. */
export type ToMember =
  /** All members have started serving. */
  | { kind: 'open' }
  | { kind: 'stop' }
  | { kind: 'send-metrics'; id: number }
  | { kind: 'all-metrics'; id: number; text: string };
