import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const findPlace = new URL('./find-place.mjs', import.meta.url).href;

/** Finds the location as soon as the main thread is stuck, prints it and ends the process. */
const thread = `
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
const { findPlace } = await import('${findPlace}');
Atomics.wait(workerData, 0, 0);
writeSync(1, JSON.stringify(await findPlace('', 240_000)));
process.kill(process.pid, 'SIGKILL');`;

const program = `
import { Worker } from 'node:worker_threads';
const isStuck = new Int32Array(new SharedArrayBuffer(4));
new Worker(${JSON.stringify(thread)}, { eval: true, workerData: isStuck });
setTimeout(function handleRequest() { loopForever(); });
function loopForever() { Atomics.store(isStuck, 0, 1); Atomics.notify(isStuck, 0); while (true) {} }`;

test('the location where the main thread is stuck is found, innermost call first', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  assert.notEqual(stdout, '', stderr);
  const [first = '', second = ''] = JSON.parse(stdout) as string[];
  assert.match(first, /^loopForever .*:6$/);
  assert.match(second, /^handleRequest .*:5$/);
});
