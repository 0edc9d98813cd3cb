import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { readConfig } from '../config.ts';
import { assertApart } from './run.ts';

const keyOf = (byte: number) => Buffer.alloc(32, byte).toString('base64');

describe('the keys of a signer', () => {
  let dataDir: string;
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'latchkey-apart-'));
    await writeFile(join(dataDir, 'master-keys'), `k2:${keyOf(2)}\nk1:${keyOf(1)}\n`);
  });
  after(() => rm(dataDir, { recursive: true }));

  const check = (environment: Record<string, string>) =>
    assertApart(readConfig({ LATCHKEY_DATA_DIR: dataDir, ...environment }));

  test('are its own, created when there are none', async () => {
    await check({});
    await check({ LATCHKEY_SIGNER_MASTER_KEYS: `s1:${keyOf(7)}` });
  });

  test('a signer that is given the servers’ keys is refused', async () => {
    await assert.rejects(check({ LATCHKEY_MASTER_KEYS: `k1:${keyOf(1)}` }), /must not have the servers’ master keys/);
  });

  test('a key that the servers also use is refused, under any id', async () => {
    const shared = `s2:${keyOf(7)},s1:${keyOf(1)}`;
    await assert.rejects(check({ LATCHKEY_SIGNER_MASTER_KEYS: shared }), /servers share a master key/);
  });
});
