// @ts-expect-error The load generator ships no types; what is used of it is typed below.
import untypedAutocannon from 'autocannon';
import type { ServerProcess } from './server-process.ts';

interface LoadResult {
  duration: number;
  errors: number;
  non2xx: number;
  requests: { total: number };
  latency: { p99: number };
}
const autocannon: (options: object) => Promise<LoadResult> = untypedAutocannon;

const rounds = 5;
const seconds = 3;
const connections = 16;

export interface Measurements {
  perSecond: number;
  cpuMicroseconds: number;
  p99: number;
}

export interface Load {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/**
 * A server, and requests that are the same work for each. Several differ in who sends them: a single key or token for all would be read
 * once for many requests at a time, which no real load allows.
 */
export interface Contender {
  server: ServerProcess;
  loads: readonly [Load, ...Load[]];
}

/** How many keys or tokens the requests of a benchmark use. */
export const differentCallers = 1_000;

/** Loads each in turn, round after round, so that changes of the machine affect all, and returns their medians. */
export async function race(contenders: readonly Contender[]): Promise<Measurements[]> {
  for (const contender of contenders) await run(contender);
  const measurements = contenders.map((): Measurements[] => []);
  for (let round = 0; round < rounds; round++)
    for (const [index, contender] of contenders.entries()) measurements[index]?.push(await run(contender));
  return measurements.map((of) => ({
    perSecond: median(of.map((measurement) => measurement.perSecond)),
    cpuMicroseconds: median(of.map((measurement) => measurement.cpuMicroseconds)),
    p99: median(of.map((measurement) => measurement.p99)),
  }));
}

async function run({ server, loads }: Contender): Promise<Measurements> {
  const cpuBefore = server.cpuSeconds();
  let begun = 0;
  // Each connection sends all requests in turn, and begins at a place of its own.
  const setupClient = (client: { setRequests(requests: readonly Load[]): void }) => {
    const start = Math.floor((begun++ * loads.length) / connections);
    client.setRequests([...loads.slice(start), ...loads.slice(0, start)]);
  };
  const result = await autocannon({
    url: server.url,
    requests: [...loads],
    setupClient,
    connections,
    duration: seconds,
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} refusals and ${result.errors} errors: the figures would be worthless.`);
  return {
    perSecond: result.requests.total / result.duration,
    cpuMicroseconds: ((server.cpuSeconds() - cpuBefore) * 1e6) / result.requests.total,
    p99: result.latency.p99,
  };
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Prints our figures beside a baseline's. A ratio of 1 means equal. */
export function printRatios(name: string, ours: Measurements, baseline: string, theirs: Measurements): void {
  const ratio = (value: number) => `ratio ${value.toFixed(2)}`;
  console.log(
    `${name}: ${ours.perSecond.toFixed(0)} requests/s, ${baseline} ${theirs.perSecond.toFixed(0)} requests/s, ` +
      ratio(ours.perSecond / theirs.perSecond),
  );
  console.log(
    `${name}, server CPU: ${ours.cpuMicroseconds.toFixed(0)} µs, ${baseline} ${theirs.cpuMicroseconds.toFixed(0)} µs, ` +
      ratio(theirs.cpuMicroseconds / ours.cpuMicroseconds),
  );
  console.log(`${name}, p99: ${ours.p99} ms, ${baseline} ${theirs.p99} ms`);
}
