import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKeyring } from '@latchkey/db';
import { seededRandom, testPlatform } from '../../testing/index.ts';
import { rewrapAll } from '../signing-keys/index.ts';
import { keptSecrets, replaceSecret } from './index.ts';
import { keptSecretsSealed } from './sealed-columns.ts';

test('processes that concurrently request a missing secret all get the same one', async () => {
  await using t = await testPlatform('kept-secrets');
  const found = await Promise.all(Array.from({ length: 8 }, () => keptSecrets(t.services, 'kudos.issuer')));
  const texts = found.map(([{ secret }]) => Buffer.from(secret).toString('hex'));
  assert.deepEqual([new Set(texts).size, texts[0]?.length], [1, 64]);
  const [other] = await keptSecrets(t.services, 'waiting-list.salt');
  assert.notEqual(Buffer.from(other.secret).toString('hex'), texts[0]);
});

test('a replaced secret stays available behind the new one, and both survive a change of the master key', async () => {
  await using t = await testPlatform('kept-secrets');
  const [first] = await keptSecrets(t.services, 'waiting-list.signer');
  const second = await replaceSecret(t.services, 'waiting-list.signer');
  assert.deepEqual(await keptSecrets(t.services, 'waiting-list.signer'), [second, first]);
  const random = seededRandom('kept-secrets/next');
  const [old] = t.services.keyring.derive('x');
  assert.equal(old?.id, 'test');
  const next = { id: 'next', key: random.bytes(32) };
  const former = { id: 'test', key: seededRandom('kept-secrets').bytes(32) };
  await rewrapAll({ ...t.services, keyring: createKeyring([next, former], random) }, keptSecretsSealed);
  const after = { ...t.services, keyring: createKeyring([next], random) };
  assert.deepEqual(await keptSecrets(after, 'waiting-list.signer'), [second, first]);
});
