import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { isAbandoned, withLock } from './lock.mjs';

function lockFolder(t: TestContext) {
  const parent = mkdtempSync(join(tmpdir(), 'latchkey-lock-'));
  t.after(() => rmSync(parent, { recursive: true, force: true }));
  return join(parent, 'setup.lock');
}

function leaveLock(folder: string, owner: { pids: number[]; host: string }, silentSeconds = 0) {
  mkdirSync(folder);
  writeFileSync(join(folder, 'owner.json'), JSON.stringify(owner));
  const heardAt = Date.now() / 1_000 - silentSeconds;
  utimesSync(join(folder, 'owner.json'), heardAt, heardAt);
}

const deadPid = () => spawnSync(process.execPath, ['--version']).pid;

test('a lock left by a dead process is taken over, and released after the work', async (t) => {
  const folder = lockFolder(t);
  leaveLock(folder, { pids: [deadPid()], host: hostname() });
  const answer = await withLock(
    folder,
    async () => existsSync(folder),
    () => assert.fail('no holder to wait for'),
  );
  assert.equal(answer, true);
  assert.equal(existsSync(folder), false);
});

test('a lock is released when the work fails', async (t) => {
  const folder = lockFolder(t);
  const work = () => Promise.reject(new Error('no network'));
  await assert.rejects(
    withLock(folder, work, () => {}),
    /no network/,
  );
  assert.equal(existsSync(folder), false);
});

test('a lock is kept while one of its processes lives, and by a holder elsewhere with a recent heartbeat', (t) => {
  const alive = lockFolder(t);
  leaveLock(alive, { pids: [deadPid(), process.ppid], host: hostname() });
  assert.equal(isAbandoned(alive), false);
  const elsewhere = lockFolder(t);
  leaveLock(elsewhere, { pids: [deadPid()], host: 'another-machine' }, 30);
  assert.equal(isAbandoned(elsewhere), false);
});

test('a holder without heartbeats loses the lock even if another process has its id by now', (t) => {
  const reused = lockFolder(t);
  leaveLock(reused, { pids: [process.ppid], host: hostname() }, 150);
  assert.equal(isAbandoned(reused), true);
  const elsewhere = lockFolder(t);
  leaveLock(elsewhere, { pids: [1], host: 'another-machine' }, 90);
  assert.equal(isAbandoned(elsewhere), true);
});

test('of many processes that find an abandoned lock, one works at a time', async (t) => {
  const folder = lockFolder(t);
  leaveLock(folder, { pids: [deadPid()], host: hostname() });
  const log = `${folder}.log`;
  const program = `
    const { appendFileSync } = await import('node:fs');
    const { withLock } = await import(${JSON.stringify(new URL('lock.mjs', import.meta.url).href)});
    const note = (word) => appendFileSync(${JSON.stringify(log)}, word + ' ');
    const work = async () => { note('in'); await new Promise(setImmediate); note('out'); };
    for (let i = 0; i < 3; i += 1) await withLock(${JSON.stringify(folder)}, work, () => {});`;
  const run = () => promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  await Promise.all([run(), run(), run(), run()]);
  assert.equal(readFileSync(log, 'utf8'), 'in out '.repeat(12));
});
