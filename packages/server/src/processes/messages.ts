/** Tells a process which of how many it is, for example 2/4. */
export const placeVariable = 'LATCHKEY_PLACE_AMONG_PROCESSES';

/** The metrics of one process, as the metrics library exports them. */
export type Metrics = readonly object[];

/** What a process tells the one that started it. */
export type FromMember =
  | { kind: 'serving' }
  | { kind: 'metrics'; id: number; metrics: Metrics }
  | { kind: 'collect-metrics'; id: number };

/** What it is told. */
export type ToMember =
  /** All of them have served for the first time. */
  | { kind: 'open' }
  | { kind: 'stop' }
  | { kind: 'send-metrics'; id: number }
  | { kind: 'all-metrics'; id: number; text: string };
