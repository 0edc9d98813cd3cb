export { createMetrics, type Metrics } from './create-metrics.ts';
export type { Sample } from './declared.ts';
export { hangSamples } from './hang-samples.ts';
export { metricsOf } from './metrics-of.ts';
export { readSoon } from './read-soon.ts';
export { serveMetricsOf, type WatchedProcess } from './serve-metrics.ts';
