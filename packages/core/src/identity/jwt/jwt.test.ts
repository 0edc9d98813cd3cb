import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { calculateJwkThumbprint } from 'jose';
import { currentKey, ensureSigningKeys, rotateKey } from '../../services/signing-keys/index.ts';
import { nobody, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { getPublicKey } from './operations.ts';

describe('token keys as PEM', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('jwt');
    await ensureSigningKeys(t.services);
  });
  after(() => t.close());

  test('the current key and a retired one can be read by their ids', async () => {
    const { kid: old } = await currentKey(t.services, 'jwt');
    const { kid: current } = await rotateKey(t.services, 'jwt');
    for (const kid of [old, current]) {
      const pem = await getPublicKey(t.as(nobody), { kid });
      assert.equal(await calculateJwkThumbprint(createPublicKey(pem)), kid);
    }
  });

  test('an id that is unknown, malformed or of a key for another purpose is not found', async () => {
    const { kid: action } = await currentKey(t.services, 'action-ecdsa');
    for (const kid of ['unknown', '../../etc/passwd', "' or 1=1 --", action]) {
      await assert.rejects(getPublicKey(t.as(nobody), { kid }), { code: 'ENTITY_NOT_FOUND' });
    }
  });
});
