import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Membership } from './processes/member.ts';

export interface Metrics {
  contentType: string;
  /** Without a time it is counted and not timed. */
  countRequest(method: string, route: string, status: number, elapsedMs: number | undefined): void;
  read(): Promise<string>;
}

/** The processes that serve one port, whichever of them is asked for figures. */
export type FigureGroup = Pick<Membership, 'place' | 'publishFigures' | 'readAllFigures'>;

/** Figures for Prometheus. `countJobs` is asked at each reading, so that an idle queue costs nothing. */
export function createMetrics(countJobs: () => Promise<Record<string, number>>, group?: FigureGroup): Metrics {
  const registry = new Registry();
  // Figures of the database are the same in every process, so they are added once.
  const common = new Registry();
  // A process that is started again counts from zero, which is seen only if its series are its own.
  if (group !== undefined) registry.setDefaultLabels({ process: String(group.place) });
  group?.publishFigures(() => registry.getMetricsAsJSON());
  collectDefaultMetrics({ register: registry, prefix: 'latchkey_' });
  const requests = new Counter({
    name: 'latchkey_http_requests_total',
    help: 'Requests answered.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'latchkey_http_request_seconds',
    help: 'Time from the first byte of a request to the last byte of its answer.',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const jobs = new Gauge({
    name: 'latchkey_jobs',
    help: 'Jobs by state.',
    labelNames: ['state'],
    registers: [common],
  });
  const known = new Map<string, { count(): void; time(seconds: number): void }>();
  // Finding the series of its labels is most of the cost of a figure, so each is found once.
  const seriesOf = (method: string, route: string, status: number) => {
    const name = `${method} ${route} ${status}`;
    const found = known.get(name);
    if (found !== undefined) return found;
    const counter = requests.labels({ method, route, status });
    const histogram = durations.labels({ method, route });
    const series = { count: () => counter.inc(), time: (seconds: number) => histogram.observe(seconds) };
    known.set(name, series);
    return series;
  };
  return {
    contentType: registry.contentType,
    countRequest: (method, route, status, elapsedMs) => {
      const series = seriesOf(method, route, status);
      series.count();
      if (elapsedMs !== undefined) series.time(elapsedMs / 1000);
    },
    read: async () => {
      const counts = await countJobs().catch(() => ({}));
      for (const [state, count] of Object.entries(counts)) jobs.set({ state }, count);
      const ofProcesses = (await group?.readAllFigures()) ?? (await registry.metrics());
      return `${ofProcesses.trimEnd()}\n\n${await common.metrics()}`;
    },
  };
}
