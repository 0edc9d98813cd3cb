import assert from 'node:assert/strict';
import { createPublicKey, sign, verify } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { currentKey, ensureSigningKeys, rotateKey } from '../../services/signing-keys/index.ts';
import { nobody, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { getConfig } from './operations.ts';

describe('the public settings', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('server-config');
    await ensureSigningKeys(t.services);
  });
  after(() => t.close());

  test('hold the keys in the forms existing mini-apps compare', async () => {
    const config = await getConfig(t.as(nobody));
    assert.match(config.jwtPublicKey, /^-----BEGIN PUBLIC KEY-----\n/);
    assert.match(config.actionEcdsaPublicKey, /^0x04[0-9a-f]{128}$/);
    assert.match(config.actionEd25519PublicKey, /^[1-9A-HJ-NP-Za-km-z]{43,44}$/);
    assert.match(config.actionEd25519PublicKeyHex, /^[0-9a-f]{64}$/);
    assert.equal(config.discordClientId, '1000');
  });

  test('verify what the platform signs', async () => {
    const { jwtPublicKey, actionEd25519PublicKeyHex } = await getConfig(t.as(nobody));
    const text = Buffer.from('text');
    const jwt = await currentKey(t.services, 'jwt');
    assert.ok(verify('sha256', text, jwtPublicKey, sign('sha256', text, jwt.privateKey)));
    const action = await currentKey(t.services, 'action-ed25519');
    const x = Buffer.from(actionEd25519PublicKeyHex, 'hex').toString('base64url');
    const published = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
    assert.ok(verify(null, text, published, sign(null, text, action.privateKey)));
  });

  test('leave out what is not configured', async () => {
    const settings = { ...t.services.settings, discordClientId: undefined };
    assert.equal((await getConfig({ ...t.as(nobody), settings })).discordClientId, undefined);
  });

  test('show a new key after a rotation', async () => {
    const before = await getConfig(t.as(nobody));
    await rotateKey(t.services, 'action-ecdsa');
    const now = await getConfig(t.as(nobody));
    assert.notEqual(now.actionEcdsaPublicKey, before.actionEcdsaPublicKey);
    assert.equal(now.actionEd25519PublicKey, before.actionEd25519PublicKey);
  });
});
