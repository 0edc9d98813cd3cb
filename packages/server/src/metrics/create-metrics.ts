import { observed } from '@latchkey/kernel';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Membership } from '../processes/member.ts';
import { latchkeyVersion } from '../version.ts';
import { type DeclaredMetric, declaredMetrics, type MetricName, type Sample } from './declared.ts';

export type ProcessKind = 'server' | 'worker' | 'signer' | 'whole';

export interface Metrics {
  contentType: string;
  /** Without a duration, the request is counted but not timed. */
  countRequest(method: string, route: string, status: number, elapsedMs: number | undefined): void;
  read(): Promise<string>;
  /** Stops counting events of this process. */
  close(): void;
}

/** The processes that share one port. Any of them can serve the metrics of all. */
export type MetricGroup = Pick<Membership, 'place' | 'publishMetrics' | 'readAllMetrics'>;

export interface MetricsOptions {
  kind: ProcessKind;
  /** Reads metrics from the database at each scrape. They are the same in every process. */
  readState(): Promise<readonly Sample[]>;
  /** Reads current values of this process. */
  readProcess?(): readonly Sample[];
  group?: MetricGroup | undefined;
}

/** Creates the Prometheus metrics. If the database does not respond, its metrics are omitted: unknown is not zero. */
export function createMetrics({ kind, readState, readProcess = () => [], group }: MetricsOptions): Metrics {
  const registry = new Registry();
  // The database's metrics are the same in every process, so they are added once.
  const common = new Registry();
  // A restarted process counts from zero, which is visible only if its series are its own.
  if (group !== undefined) registry.setDefaultLabels({ process: String(group.place) });
  collectDefaultMetrics({ register: registry, prefix: 'latchkey_' });
  const gauges = new Map<string, Gauge>();
  const counters = new Map<string, Counter>();
  const histograms = new Map<string, Histogram>();
  for (const [name, metric] of Object.entries<DeclaredMetric>(declaredMetrics)) {
    const registers = [metric.from === 'database' || name === 'latchkey_database_up' ? common : registry];
    const basis = { name, help: metric.help, labelNames: [...metric.labels], registers };
    if (metric.kind === 'gauge') gauges.set(name, new Gauge(basis));
    else if (metric.kind === 'counter') counters.set(name, new Counter(basis));
    else histograms.set(name, new Histogram({ ...basis, buckets: [...(metric.buckets ?? [])] }));
  }
  const set = ({ name, labels = {}, value }: Sample) => {
    gauges.get(name)?.set({ ...labels }, value);
    counters.get(name)?.inc({ ...labels }, value);
  };
  const forget = (from: DeclaredMetric['from']) => {
    for (const [name, metric] of Object.entries<DeclaredMetric>(declaredMetrics)) {
      if (metric.from !== from) continue;
      counters.get(name)?.reset();
      gauges.get(name)?.reset();
      // Without labels, the library would report a zero that was never read.
      if (metric.labels.length === 0) gauges.get(name)?.remove({});
    }
  };
  forget('process');
  forget('database');
  const noteProcess = () => {
    forget('process');
    set({ name: 'latchkey_build_info', labels: { version: latchkeyVersion, kind }, value: 1 });
    for (const sample of readProcess()) set(sample);
  };
  const noteState = async () => {
    const samples = await readSoon(readState);
    forget('database');
    gauges.get('latchkey_database_up')?.set(samples === undefined ? 0 : 1);
    for (const sample of samples ?? []) set(sample);
  };
  const stopListening = listenToEvents({
    count: (name, labels) => counters.get(name)?.inc(labels),
    observe: (name, labels, seconds) => histograms.get(name)?.observe(labels, seconds),
    set: (name, labels, value) => set({ name, labels, value }),
  });
  group?.publishMetrics(() => {
    noteProcess();
    return registry.getMetricsAsJSON();
  });
  return {
    contentType: registry.contentType,
    countRequest: countRequests(
      counters.get('latchkey_http_requests_total'),
      histograms.get('latchkey_http_request_seconds'),
    ),
    read: async () => {
      noteProcess();
      await noteState();
      const ofProcesses = (await group?.readAllMetrics()) ?? (await registry.metrics());
      return `${ofProcesses.trimEnd()}\n\n${await common.metrics()}`;
    },
    close: stopListening,
  };
}

/** Looking up the series of its labels is most of the cost of a metric, so each is looked up once. */
function countRequests(requests: Counter | undefined, durations: Histogram | undefined): Metrics['countRequest'] {
  const known = new Map<string, { count(): void; time(seconds: number): void }>();
  const seriesOf = (method: string, route: string, status: number) => {
    const name = `${method} ${route} ${status}`;
    const found = known.get(name);
    if (found !== undefined) return found;
    const counter = requests?.labels({ method, route, status });
    const histogram = durations?.labels({ method, route });
    const series = { count: () => counter?.inc(), time: (seconds: number) => histogram?.observe(seconds) };
    known.set(name, series);
    return series;
  };
  return (method, route, status, elapsedMs) => {
    const series = seriesOf(method, route, status);
    series.count();
    if (elapsedMs !== undefined) series.time(elapsedMs / 1000);
  };
}

const patienceMs = 5_000;

/**
 * Returns what a source reads within a few seconds, or undefined: a collector does not wait for a database that hangs.
 */
export async function readSoon<Read>(read: () => Promise<Read>): Promise<Read | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), patienceMs);
  try {
    return await Promise.race([read().catch(() => undefined), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

type Labels = Record<string, string>;

interface Counting {
  count(name: MetricName, labels: Labels): void;
  observe(name: MetricName, labels: Labels, seconds: number): void;
  set(name: MetricName, labels: Labels, value: number): void;
}

/** Counts events of this process from now on. Returns a function that stops it. */
function listenToEvents({ count, observe, set }: Counting): () => void {
  const ends = [
    observed.signIn.listen(({ method }) => count('latchkey_sign_ins_total', { method })),
    observed.refusal.listen(({ code }) => count('latchkey_http_refusals_total', { code })),
    observed.endpointRead.listen((read) => count('latchkey_endpoint_reads_total', read)),
    observed.dependencyFailure.listen((failure) => count('latchkey_dependency_failures_total', failure)),
    observed.webhookAttempt.listen((attempt) => count('latchkey_webhook_attempts_total', attempt)),
    observed.signature.listen((answer) => count('latchkey_signatures_total', answer)),
    observed.roleChange.listen(({ platform, action, outcome, cause, seconds }) => {
      count('latchkey_role_changes_total', { platform, action, outcome });
      if (cause !== undefined && seconds !== undefined) observe('latchkey_role_delay_seconds', { cause }, seconds);
    }),
    observed.job.listen(({ name, outcome, seconds }) => {
      count('latchkey_job_runs_total', { name, outcome });
      observe('latchkey_job_seconds', { name }, seconds);
    }),
    observed.gateway.listen(({ platform, shard, isOpen, code }) => {
      set('latchkey_gateway_open', { platform, shard }, isOpen ? 1 : 0);
      if (code !== undefined) count('latchkey_gateway_closes_total', { platform, code });
    }),
    observed.gatewayStopped.listen(({ platform, shard, isStopped }) =>
      set('latchkey_gateway_stopped', { platform, shard }, isStopped ? 1 : 0),
    ),
    observed.malformedEntry.listen((entry) => count('latchkey_malformed_entries_total', entry)),
  ];
  return () => {
    for (const end of ends) end();
  };
}
