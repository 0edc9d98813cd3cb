import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ensureSigningKeys } from '../../services/signing-keys/index.ts';
import { nobody, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { storeAuthenticationResponse } from './accept-assertion.ts';
import { deleteCredential, verifyAuthenticationResponse } from './operations.ts';
import { answerOptions, copied, copyDevice, type Device, personOf, settle } from './testing.ts';

const gone = { code: 'INVALID_CREDENTIAL', message: /[Ss]tored sign-in not found/ };

describe('a sign-in stored for another client', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('passkey-store');
    await ensureSigningKeys(t.services);
  });
  after(() => t.close());

  const answer = (device: Device) => answerOptions(t, nobody, device);
  const store = async (device: Device) => storeAuthenticationResponse(t.as(nobody), { body: await answer(device) });
  const pickUp = (slug: string) => verifyAuthenticationResponse(t.as(nobody), { body: { slug } });

  test('is read once, by the client that has the slug', async () => {
    const { user, device } = await settle(t);
    const slug = await store(device);
    assert.match(slug, /^[0-9A-Za-z]{32}$/);
    const { verified, idToken } = await pickUp(slug);
    assert.equal(verified, true);
    assert.deepEqual(await personOf(t.services, idToken), user);
    await assert.rejects(pickUp(slug), gone);
    for (const unknown of ['', slug.toLowerCase(), '\u0000'.repeat(3)]) await assert.rejects(pickUp(unknown), gone);
  });

  test('is read by one of fifty concurrent clients', async () => {
    const { device } = await settle(t);
    const slug = await store(device);
    const tries = await Promise.allSettled(Array.from({ length: 50 }, () => pickUp(slug)));
    assert.equal(tries.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  test('has consumed its challenge, so that the response is useless elsewhere', async () => {
    const { device } = await settle(t);
    const body = await answer(device);
    await storeAuthenticationResponse(t.as(nobody), { body });
    await assert.rejects(verifyAuthenticationResponse(t.as(nobody), { body }), { code: 'INVALID_CREDENTIAL' });
    await assert.rejects(storeAuthenticationResponse(t.as(nobody), { body }), { code: 'INVALID_CREDENTIAL' });
  });

  test('is only stored when the response was valid', async () => {
    const { device } = await settle(t);
    const count = async () => (await t.services.db.system.selectFrom('webauthn_sign_ins').selectAll().execute()).length;
    const atFirst = await count();
    const right = await answer(device);
    const body = { ...right, response: { ...right.response, signature: 'AAAA' } };
    await assert.rejects(storeAuthenticationResponse(t.as(nobody), { body }), { code: 'INVALID_CREDENTIAL' });
    assert.equal(await count(), atFirst);
  });

  test('expires after five minutes', async () => {
    const { device } = await settle(t);
    const [early, late] = [await store(device), await store(device)];
    t.advanceSeconds(299);
    await pickUp(early);
    t.advanceSeconds(1);
    await assert.rejects(pickUp(late), gone);
  });

  test('is deleted with its passkey, or when that is found to be a clone', async () => {
    const first = await settle(t);
    const slug = await store(first.device);
    await deleteCredential(t.as(first.user), { id: first.id });
    await assert.rejects(pickUp(slug), gone);

    const second = await settle(t);
    const copy = copyDevice(second.device);
    const waiting = await store(second.device);
    await assert.rejects(store(copy), copied);
    await assert.rejects(pickUp(waiting), copied);
  });
});
