import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadMasterKeys } from './master-keys.ts';

const load = (key: Uint8Array) =>
  loadMasterKeys({ masterKeys: [`k1:${Buffer.from(key).toString('base64')}`], dataDir: '/nowhere' });

test('a master key that was copied from an example is refused with how to create one', async () => {
  await assert.rejects(
    load(Buffer.alloc(32)),
    /LATCHKEY_MASTER_KEYS has the master key from the examples.*openssl rand/,
  );
  const [{ id }] = await load(Buffer.alloc(32, 7));
  assert.equal(id, 'k1');
});
