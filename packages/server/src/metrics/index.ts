export { createMetrics, type Metrics, readSoon } from './create-metrics.ts';
export type { Sample } from './declared.ts';
export { hangSamples, metricsOf } from './metrics-of.ts';
export { serveMetricsOf, type WatchedProcess } from './serve-metrics.ts';
