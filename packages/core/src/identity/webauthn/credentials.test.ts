import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Actor } from '@latchkey/kernel';
import { ensureSigningKeys } from '../../services/signing-keys/index.ts';
import { contextFor } from '../../shared/context.ts';
import { alice, mallory, nobody, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { generateRegistrationOptions } from './generate-options.ts';
import {
  deleteCredential,
  generateAuthenticationOptions,
  getCredential,
  getCredentials,
  ownerOfCredential,
  renameCredential,
  verifyAuthenticationResponse,
} from './operations.ts';
import { answerOptions, newDevice, register } from './testing.ts';
import { verifyRegistrationResponse } from './verify-registration.ts';

const isGone = { code: 'ENTITY_NOT_FOUND' };

describe('the passkeys of a user', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('passkeys');
    await ensureSigningKeys(t.services);
  });
  after(() => t.close());

  const nameOf = async (id: string) => (await getCredential(t.as(alice), { id })).name;

  test('are renamed and deleted only by their owner and the operator', async () => {
    const device = newDevice();
    const id = await register(t, alice, device);
    assert.equal(await ownerOfCredential(t.services, id), 'DIS#USER#100');
    for (const actor of [mallory, nobody]) {
      await assert.rejects(getCredential(t.as(actor), { id }), isGone);
      await assert.rejects(renameCredential(t.as(actor), { id, body: { name: 'Mine' } }), isGone);
      await assert.rejects(deleteCredential(t.as(actor), { id }), isGone);
      assert.deepEqual(await getCredentials(t.as(actor), {}), { items: [] });
    }
    assert.equal(await nameOf(id), 'Passkey');
    await renameCredential(t.as(alice), { id, body: { name: 'Phone' } });
    assert.equal(await nameOf(id), 'Phone');
    await renameCredential(t.as(operator), { id, body: { name: 'Found phone' } });
    assert.equal(await nameOf(id), 'Found phone');
    await deleteCredential(t.as(alice), { id });
    await assert.rejects(deleteCredential(t.as(alice), { id }), isGone);
    await assert.rejects(renameCredential(t.as(alice), { id, body: { name: 'x' } }), isGone);
    assert.equal(await ownerOfCredential(t.services, id), undefined);
    const body = await answerOptions(t, nobody, device);
    await assert.rejects(verifyAuthenticationResponse(t.as(nobody), { body }), { code: 'INVALID_CREDENTIAL' });
  });

  test('are listed oldest first, those of one domain alone if asked', async () => {
    const user: Actor = {
      kind: 'user',
      userId: 'DIS#USER#55',
      platform: 'discord',
      scopes: ['$all'],
      credential: 'wallet-session',
    };
    const settings = { ...t.services.settings, baseUrl: 'https://api.latchkey.test' };
    const ctx = contextFor({ ...t.services, settings }, user);
    for (const rpID of ['latchkey.test', 'api.latchkey.test', 'latchkey.test']) {
      t.advanceSeconds(1);
      const made = newDevice().create(await generateRegistrationOptions(ctx, { rpID }), 'https://api.latchkey.test');
      await verifyRegistrationResponse(ctx, { body: made });
    }
    const domains = async (rpId?: string) => (await getCredentials(ctx, { rpId })).items.map(({ rpID }) => rpID);
    assert.deepEqual(await domains(), ['latchkey.test', 'api.latchkey.test', 'latchkey.test']);
    assert.deepEqual(await domains('api.latchkey.test'), ['api.latchkey.test']);
    assert.deepEqual(await domains('evil.test'), []);
    assert.deepEqual(await getCredentials(t.as(operator), {}), { items: [] });
    const { excludeCredentials } = await generateRegistrationOptions(ctx, { rpID: 'api.latchkey.test' });
    assert.equal(excludeCredentials.length, 1);
  });

  test('are seen by their owner alone, in every table', async () => {
    await register(t, alice, newDevice());
    await generateAuthenticationOptions(t.as(alice), {});
    const tables = ['webauthn_credentials', 'webauthn_users', 'webauthn_challenges'] as const;
    for (const table of tables) {
      const seenBy = (actor: Actor) =>
        t.as(actor).tx((tx) => tx.selectFrom(table).select('user_id').distinct().execute());
      assert.deepEqual(await seenBy(alice), [{ user_id: 'DIS#USER#100' }], table);
      assert.deepEqual(await seenBy(mallory), [], table);
    }
  });

  test('cannot be assigned to another user', async () => {
    const id = await register(t, alice, newDevice());
    const steal = t
      .as(mallory)
      .tx((tx) =>
        tx.updateTable('webauthn_credentials').set({ user_id: 'DIS#USER#666' }).where('id', '=', id).executeTakeFirst(),
      );
    assert.equal((await steal).numUpdatedRows, 0n);
    const give = t
      .as(alice)
      .tx((tx) =>
        tx.updateTable('webauthn_credentials').set({ user_id: 'DIS#USER#666' }).where('id', '=', id).execute(),
      );
    await assert.rejects(give, /row-level security/);
  });
});
