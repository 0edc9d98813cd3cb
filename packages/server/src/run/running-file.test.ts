import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { startTicksOf } from './is-alive.ts';
import { claimDataFolder, findRunning, type Running } from './running-file.ts';

const about = {
  url: 'https://latchkey.example.org',
  // Nothing listens on this port.
  localUrl: 'http://127.0.0.1:1',
  sampleWorld: false,
  mailCatcher: false,
  sandboxPort: 3040,
  mailCatcherPort: 3025,
  needs: [],
};

/** Creates a data folder with an old note of a process that does not respond. */
async function folderWithNote(t: TestContext, running: Partial<Running> & { pid: number }) {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-running-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'running.json');
  await writeFile(path, JSON.stringify({ ...about, ...running }));
  await utimes(path, 0, 0);
  return { folder, noted: async (): Promise<Running> => JSON.parse(await readFile(path, 'utf8')) };
}

async function startSleeper(t: TestContext): Promise<number> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' });
  t.after(() => child.kill('SIGKILL'));
  await once(child, 'spawn');
  return child.pid ?? Number.NaN;
}

describe('the note of a running Latchkey', { skip: process.platform !== 'linux' }, () => {
  test('holds the folder even while its process is too busy to respond', async (t) => {
    const pid = await startSleeper(t);
    const { folder, noted } = await folderWithNote(t, { pid, startTicks: startTicksOf(pid) ?? '' });
    await assert.rejects(claimDataFolder(folder, about), {
      message: `Latchkey is already running on this data folder (process ${pid}, https://latchkey.example.org). It keeps running. To stop it, press Ctrl-C in its terminal or run "kill ${pid}"; to run a second one, choose another folder with LATCHKEY_DATA_DIR, and other ports.`,
    });
    assert.equal((await noted()).pid, pid);
    assert.equal((await findRunning(folder))?.pid, pid);
  });

  test('is stale once another process has the pid, or the process has ended', async (t) => {
    const pid = await startSleeper(t);
    const reused = await folderWithNote(t, { pid, startTicks: '1' });
    assert.equal(await findRunning(reused.folder), undefined);
    const claim = await claimDataFolder(reused.folder, about);
    assert.equal((await reused.noted()).pid, process.pid);
    assert.equal((await findRunning(reused.folder))?.pid, process.pid);
    await claim.release();
    assert.equal(await findRunning(reused.folder), undefined);

    const gone = await folderWithNote(t, { pid: 2 ** 22 + 1 });
    assert.equal(await findRunning(gone.folder), undefined);
    await (await claimDataFolder(gone.folder, about)).release();
  });
});
