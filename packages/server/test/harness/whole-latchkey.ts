import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { bound } from '@latchkey/test-kit';
import { type DataFolder, type Environment, freePorts, type LatchkeyProcess } from './processes.ts';

/** The guaranteed duration of a shutdown, whatever the machine is doing. */
export const stopWithinMs = 10_000;

/**
 * Returns the settings of a start on this folder, without a mail catcher, so that only the tests about it need its
 * ports.
 */
export async function environmentFor(folder: DataFolder): Promise<Environment> {
  return {
    LATCHKEY_DATA_DIR: folder.path,
    LATCHKEY_PORT: String(await freePorts()),
    LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:9',
  };
}

export async function urlOf(latchkey: LatchkeyProcess): Promise<string> {
  const [, url = ''] = await latchkey.printed(/API +(http:\S+)/);
  await latchkey.printed(/Ctrl-C stops everything/);
  return url;
}

export async function stopsCleanly(
  t: TestContext,
  latchkey: LatchkeyProcess,
  folder: DataFolder,
  signal: NodeJS.Signals,
): Promise<void> {
  const exit = await latchkey.stop(signal);
  assert.deepEqual({ code: exit.code, signal: exit.signal }, { code: 0, signal: null }, latchkey.stderr());
  await bound(t, 'a stop', exit.tookMs, stopWithinMs);
  // Nothing runs, and nothing is left that would suggest otherwise to the next start.
  assert.equal(await folder.postgresPid(), undefined);
  // A signer creates its own file.
  const files = (await readdir(folder.path)).filter((name) => name !== 'signer-keys').sort();
  assert.deepEqual(files, ['master-keys', 'postgres']);
  assert.deepEqual((await readdir(join(folder.path, 'postgres'))).sort(), ['cluster', 'postgres.log', 'socket']);
  assert.deepEqual(await readdir(join(folder.path, 'postgres', 'socket')), []);
  assert.ok(!(await readdir(join(folder.path, 'postgres', 'cluster'))).includes('postmaster.pid'));
}
