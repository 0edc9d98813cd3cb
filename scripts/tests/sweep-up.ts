// Started by run-folder.ts, in a session of its own: waits until the test run is over, kills what it left running and
// removes its folders.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { basename, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processesOf } from './run-folder.ts';

const [folder = '', databases = ''] = process.argv.slice(2);
const pollMs = 50;
const patienceMs = 30_000;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
process.stdin.resume();
await new Promise((resolve) => process.stdin.once('close', resolve));

// PostgreSQL is asked first: killed at once, it would leave its shared memory behind.
for (const { pid } of leftovers().filter(({ command }) => /\bpostgres\b/.test(command))) send(pid, 'SIGQUIT');
for (const deadline = performance.now() + patienceMs; performance.now() < deadline; await sleep(pollMs)) {
  const left = leftovers();
  if (left.length === 0) break;
  const isPatient = deadline - performance.now() > patienceMs / 2;
  for (const { pid, command } of left) if (!(isPatient && /\bpostgres\b/.test(command))) send(pid, 'SIGKILL');
}
for (const place of disksIn(folder).reverse()) spawnSync('umount', ['--lazy', place]);
for (const path of [folder, databases]) rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });

/** What is mounted in a folder, in the order in which it was. Only Linux tells in a file. */
function disksIn(folder: string): string[] {
  const table = '/proc/self/mounts';
  if (!existsSync(table) || !existsSync(folder)) return [];
  const inside = realpathSync(folder) + sep;
  const places = readFileSync(table, 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '');
  return places.map((place) => place.replaceAll('\\040', ' ')).filter((place) => place.startsWith(inside));
}

function leftovers(): { pid: number; command: string }[] {
  return processesOf(basename(folder)).filter(({ pid }) => pid !== process.pid);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself.
  }
}
