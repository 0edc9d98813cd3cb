import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { memoryLog } from '@latchkey/core/testing';
import { signerUrlOf } from '@latchkey/db';
import { createTestDatabase, type TestDatabase } from '@latchkey/db/testing';
import { until } from '@latchkey/test-kit';
import { isAlive } from '../../test/harness/processes.ts';
import { readConfig } from '../config.ts';
import { findSignerDatabase } from './run.ts';
import { startWithSigner, superviseSigner } from './supervise.ts';

const patienceMs = 240_000;
const stopWithParent = new URL('../../../../scripts/stop-with-parent.mjs', import.meta.url).href;

describe('a signer next to a complete Latchkey', () => {
  let database: TestDatabase;
  let dataDir: string;
  let options: Parameters<typeof superviseSigner>[0];

  before(async () => {
    database = await createTestDatabase({ name: 'supervised', migrate: true });
    dataDir = await mkdtemp(join(tmpdir(), 'latchkey-signer-'));
    options = {
      databaseUrl: signerUrlOf(database.url),
      log: memoryLog(),
      environment: { LATCHKEY_DATA_DIR: dataDir, LATCHKEY_LOG_LEVEL: 'warn' },
    };
  });
  after(async () => {
    await rm(dataDir, { recursive: true });
    await database.drop();
  });

  test('is restarted when it is killed, with its own key, and ends when told to', async () => {
    const signer = superviseSigner(options);
    let killed = 0;
    let second = 0;
    try {
      assert.equal(await signer.ready(patienceMs), true);
      killed = signer.pid() ?? 0;
      assert.deepEqual(await readdir(dataDir), ['signer-keys']);
      assert.equal((await stat(join(dataDir, 'signer-keys'))).mode & 0o777, 0o600);
      process.kill(killed, 'SIGKILL');
      await until('another signer runs', () => signer.pid() !== killed && isAlive(signer.pid() ?? 0));
      second = signer.pid() ?? 0;
    } finally {
      await signer.stop();
    }
    await until('the second signer has ended', () => !isAlive(second));
    assert.ok(!isAlive(killed));
  });

  test('ends with its parent process, also when that is killed', async () => {
    const supervise = fileURLToPath(new URL('./supervise.ts', import.meta.url));
    const { log: _log, ...plain } = options;
    const script = `
      const { superviseSigner } = await import(${JSON.stringify(supervise)});
      const log = Object.fromEntries(['debug', 'info', 'warn', 'error'].map((level) => [level, () => {}]));
      const signer = superviseSigner({ ...${JSON.stringify(plain)}, log });
      await signer.ready(${patienceMs});
      process.stdout.write(signer.pid() + '\\n');`;
    const parent = spawn(process.execPath, [`--import=${stopWithParent}`, '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [printed] = await Promise.race([
      new Promise<[Buffer]>((resolve) => parent.stdout.once('data', (data) => resolve([data]))),
      new Promise<never>((_, reject) => parent.once('exit', () => reject(new Error('The parent ended early.')))),
    ]);
    const pid = Number(String(printed));
    assert.ok(isAlive(pid));
    parent.kill('SIGKILL');
    await until('the signer has ended', () => !isAlive(pid));
  });

  test('without its own role it is not started, and standalone it says which role it needs', async () => {
    const log = memoryLog();
    const config = readConfig({ DATABASE_URL: database.url });
    assert.equal(startWithSigner(config, { url: database.url, isEmbedded: false }, log, 'http://localhost'), undefined);
    assert.match(log.lines.join(), /LATCHKEY_SIGNER_DATABASE_URL/);
    await assert.rejects(findSignerDatabase(config, log), /for example latchkey_signer/);
    const unwanted = readConfig({ LATCHKEY_SIGNER: 'false' });
    assert.equal(
      startWithSigner(unwanted, { url: database.url, isEmbedded: true }, log, 'http://localhost'),
      undefined,
    );
  });
});
