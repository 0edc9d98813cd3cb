/**
 * Measures how long other requests wait while 1,000 hostile queries arrive, with the queries in separate threads and, as the baseline, on
 * the serving thread. Requests are sent on schedule, and latency counts from when each was due.
 */
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { expectBaseline } from './baseline.ts';
import { loadOpenly } from './open-loop.ts';
import { type ServerProcess, startProcess } from './server-process.ts';

const hostileCount = 1_000;
const seconds = 10;
const perSecond = 200;
const aimMs = 50;

const load = (server: ServerProcess, path: string, rate: number) =>
  loadOpenly(server.url, { perSecond: rate, seconds, call: () => ({ method: 'GET', path, headers: {} }) });

async function measure(way: 'apart' | 'thread') {
  const server = await startProcess([join(import.meta.dirname, 'queries/server.ts'), way], {}, '/ready');
  await load(server, '/other', perSecond);
  const calm = await load(server, '/other', perSecond);
  const [attacked] = await Promise.all([
    load(server, '/other', perSecond),
    load(server, '/hostile', hostileCount / seconds),
  ]);
  while (!(await isDone(server))) await rest(250);
  await server.stop();
  const [calmMs, attackedMs] = [percentile(calm, 0.99), percentile(attacked, 0.99)];
  console.log(
    `${way === 'apart' ? 'in separate threads' : 'on the serving thread (baseline)'}: ` +
      `p99 of other requests ${calmMs.toFixed(1)} ms without and ${attackedMs.toFixed(1)} ms with ${hostileCount} hostile queries`,
  );
  return attackedMs - calmMs;
}

async function isDone({ url }: ServerProcess): Promise<boolean> {
  const { begun, ended } = Object(await (await fetch(url)).json());
  expectBaseline(begun === hostileCount, `Of ${hostileCount} hostile queries ${begun} began.`);
  return begun === ended;
}

function percentile(values: number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(share * values.length) - 1] ?? Number.NaN;
}

const baseline = await measure('thread');
const apart = await measure('apart');
console.log(
  `p99 rises by ${apart.toFixed(1)} ms, baseline ${baseline.toFixed(0)} ms, ratio ${(apart / baseline).toFixed(4)}`,
);
console.log(`it rises by less than ${aimMs} ms: ${apart < aimMs ? 'yes' : 'NO'}`);
