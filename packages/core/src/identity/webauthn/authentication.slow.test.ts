import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Actor } from '@latchkey/kernel';
import { ensureSigningKeys } from '../../services/signing-keys/index.ts';
import { contextFor } from '../../shared/context.ts';
import { nobody, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { createDevelopmentApp } from '../client-apps/index.ts';
import { generateAuthenticationOptions, getCredential, verifyAuthenticationResponse } from './operations.ts';
import type { AuthenticationProof } from './records.ts';
import {
  type Algorithm,
  answerOptions,
  badChallenge,
  badOrigin,
  badResponse,
  copied,
  copyDevice,
  type Device,
  newDevice,
  newPerson,
  type Person,
  personOf,
  register,
  settle,
  signAnew,
  unverified,
  usualFlags,
} from './testing.ts';

describe('signing in with a passkey', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('passkey-authentication');
    await ensureSigningKeys(t.services);
  });
  after(() => t.close());

  const verify = (body: AuthenticationProof, actor: Actor = nobody) =>
    verifyAuthenticationResponse(t.as(actor), { body });
  const signIn = async (device: Device) => verify(await answerOptions(t, nobody, device));
  const userOf = async ({ idToken }: { idToken: string }) => personOf(t.services, idToken);

  for (const algorithm of ['ES256', 'EdDSA', 'RS256'] satisfies Algorithm[]) {
    for (const challengeFormat of ['slug', 'jwt', 'chain'] as const) {
      test(`works with a key of ${algorithm} and a challenge of the format ${challengeFormat}`, async () => {
        const { user, device, id } = await settle(t, { algorithm });
        for (const counter of [1, 2]) {
          const answer = await verify(await answerOptions(t, nobody, device, { challengeFormat }));
          assert.equal(answer.verified, true);
          assert.deepEqual(await userOf(answer), user);
          assert.equal((await getCredential(t.as(user), { id })).counter, counter);
        }
      });
    }
  }

  test('a signed-out user may respond with any passkey, a signed-in user with their own', async () => {
    const { user, device, id } = await settle(t);
    const open = await generateAuthenticationOptions(t.as(nobody), { userVerification: 'required' });
    assert.equal(open.allowCredentials, undefined);
    assert.deepEqual([open.rpId, open.userVerification], ['latchkey.test', 'required']);
    const { credentialID } = await getCredential(t.as(user), { id });
    const own = await generateAuthenticationOptions(t.as(user), {});
    assert.deepEqual(own.allowCredentials, [{ id: credentialID, type: 'public-key', transports: ['usb'] }]);
    assert.deepEqual(await userOf(await verify(device.get(own))), user);
  });

  test('a non-resident key signs in only users who are named first', async () => {
    const { user, device } = await settle(t, { isStateless: true });
    const own = await generateAuthenticationOptions(t.as(user), {});
    assert.deepEqual(await userOf(await verify(device.get(own))), user);
    const open = await generateAuthenticationOptions(t.as(nobody), {});
    const report = device.get({ ...open, allowCredentials: own.allowCredentials ?? [] });
    assert.equal(report.response.userHandle, undefined);
    await assert.rejects(verify(report), badResponse);
  });

  test('a challenge is valid for one attempt, right or wrong, within five minutes', async () => {
    const { device } = await settle(t);
    for (const challengeFormat of ['slug', 'jwt', 'chain'] as const) {
      const request = { challengeFormat };
      const right = await answerOptions(t, nobody, device, request);
      await verify(right);
      await assert.rejects(verify(right), badChallenge);

      const wronged = await answerOptions(t, nobody, device, request);
      await assert.rejects(verify({ ...wronged, id: 'AAAA', rawId: 'AAAA' }), badResponse);
      await assert.rejects(verify(wronged), badChallenge);

      const late = await answerOptions(t, nobody, device, request);
      t.advanceSeconds(299);
      await verify(await answerOptions(t, nobody, device, request));
      t.advanceSeconds(1);
      await assert.rejects(verify(late), badChallenge);
    }
  });

  test('of fifty concurrent equal responses one signs in', async () => {
    const { device } = await settle(t);
    for (const challengeFormat of ['slug', 'jwt', 'chain'] as const) {
      const answer = await answerOptions(t, nobody, device, { challengeFormat });
      const tries = await Promise.allSettled(Array.from({ length: 50 }, () => verify(answer)));
      assert.equal(tries.filter(({ status }) => status === 'fulfilled').length, 1, challengeFormat);
    }
  });

  test('a challenge requested by a signed-in user cannot be answered by another user', async () => {
    const { user, device } = await settle(t);
    const other = await settle(t);
    const options = await generateAuthenticationOptions(t.as(user), {});
    const { allowCredentials: _own, ...open } = options;
    await assert.rejects(verify(other.device.get(open)), badResponse);
    assert.deepEqual(await userOf(await signIn(device)), user);
  });

  test('a passkey of one domain does not sign in to another', async () => {
    const { user, device } = await settle(t);
    const settings = { ...t.services.settings, baseUrl: 'https://api.latchkey.test' };
    const ctx = contextFor({ ...t.services, settings }, nobody);
    const page = 'https://api.latchkey.test';
    const options = await generateAuthenticationOptions(ctx, {});
    const answer = device.get({ ...options, rpId: 'latchkey.test' }, page);
    const signed = signAnew(device, answer, { rpId: 'api.latchkey.test' });
    await assert.rejects(verifyAuthenticationResponse(ctx, { body: signed }), badResponse);
    const shared = await generateAuthenticationOptions(ctx, { rpID: 'latchkey.test' });
    const body = device.get(shared, page);
    const { idToken } = await verifyAuthenticationResponse(ctx, { body });
    assert.deepEqual(await personOf(ctx, idToken), user);
  });

  test('a page of an application signs in when the application calls', async () => {
    const { user, device } = await settle(t);
    const app = await createDevelopmentApp(t.as(operator), { userId: user.userId, name: 'App', scopes: ['$all'] });
    const client = { id: app.id ?? '', name: 'App', allowedScopes: ['$all'], disallowedScopes: [] };
    await t.services.db.system
      .updateTable('client_apps')
      .set({ allowed_origins: ['https://app.latchkey.test'] })
      .where('id', '=', client.id)
      .execute();
    const origin = 'https://app.latchkey.test';
    await assert.rejects(verify(await answerOptions(t, nobody, device, { origin })), badOrigin);
    assert.deepEqual(
      await userOf(
        await verify(await answerOptions(t, nobody, device, { origin }), {
          kind: 'client',
          client,
          credential: 'api-key',
        }),
      ),
      user,
    );
  });

  test('user verification is checked when required, and cannot be bypassed', async () => {
    const loose = await settle(t, { isVerified: false });
    await signIn(loose.device);
    const strict = await answerOptions(t, nobody, loose.device, { userVerification: 'required' });
    await assert.rejects(verify(strict), badResponse);
    const { user, device } = await settle(t);
    const locked = signAnew(device, await answerOptions(t, nobody, device, { userVerification: 'discouraged' }), {
      flags: usualFlags & ~4,
    });
    await assert.rejects(verify(locked), unverified);
    assert.deepEqual(await userOf(await signIn(device)), user);
  });

  test('a cloned key is detected when its counter was used, and neither it nor the original signs in again', async () => {
    const { user, device, id } = await settle(t);
    const copy = copyDevice(device);
    await signIn(device);
    await signIn(device);
    await assert.rejects(signIn(copy), copied);
    assert.equal((await getCredential(t.as(user), { id })).suspicious, true);
    for (const one of [device, copy, device]) await assert.rejects(signIn(one), copied);
    const warnings = t.log.lines.filter((line) => line.includes(id));
    assert.equal(warnings.length, 1);
    assert.ok(!warnings[0]?.includes(user.userId));
    const { allowCredentials } = await generateAuthenticationOptions(t.as(user), {});
    assert.deepEqual(allowCredentials, []);
  });

  test('a counter that does not advance is detected, unless the authenticator does not count at all', async () => {
    const { device } = await settle(t);
    await signIn(device);
    await assert.rejects(signIn(copyDevice(device, { counterStep: 0 })), copied);
    const still = await settle(t, { counterStep: 0 });
    for (let n = 0; n < 3; n++) assert.deepEqual(await userOf(await signIn(still.device)), still.user);
    await verify(signAnew(still.device, await answerOptions(t, nobody, still.device), { counter: 7 }));
    await assert.rejects(signIn(still.device), copied);
  });

  test('a caller without the key cannot get a passkey flagged', async () => {
    const { user, device, id } = await settle(t);
    await signIn(device);
    const answer = await answerOptions(t, nobody, device);
    const data = Buffer.from(answer.response.authenticatorData, 'base64url');
    data.writeUInt32BE(0, 33);
    const response = { ...answer.response, authenticatorData: data.toString('base64url') };
    await assert.rejects(verify({ ...answer, response }), badResponse);
    assert.equal((await getCredential(t.as(user), { id })).suspicious, false);
  });

  test('of many concurrent sign-ins with one counter one succeeds', async () => {
    const { device } = await settle(t);
    const answers = [];
    for (let n = 0; n < 10; n++)
      answers.push(signAnew(device, await answerOptions(t, nobody, device), { counter: 100 }));
    const tries = await Promise.allSettled(answers.map((answer) => verify(answer)));
    assert.equal(tries.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  test('a sign-in allows no more than the session that registered the passkey', async () => {
    const narrow = ['user:webauthn-credential:write', 'user:read'];
    const client = {
      id: 'app',
      name: 'App',
      allowedScopes: ['user:webauthn-credential:write', 'user:read', 'community:read', '$internal'],
      disallowedScopes: ['community:read'],
    };
    const scopesAfter = async (actor: Person) => {
      const device = newDevice();
      await register(t, actor, device);
      const seen = await userOf(await signIn(device));
      return seen.scopes.toSorted();
    };
    assert.deepEqual(await scopesAfter({ ...newPerson(), scopes: narrow }), narrow.toSorted());
    assert.deepEqual(await scopesAfter({ ...newPerson(), client }), narrow.toSorted());
    const strong = { ...client, allowedScopes: ['$all'], disallowedScopes: [] };
    assert.deepEqual(await scopesAfter({ ...newPerson(), client: strong }), ['$all']);
    assert.deepEqual(await scopesAfter({ ...newPerson(), scopes: narrow, client: strong }), narrow.toSorted());
  });

  test('a body that is neither a response nor a slug gets a specific error', async () => {
    for (const body of [{}, { id: 'AAAA' }]) await assert.rejects(verify(body), { code: 'VALIDATION_FAILED' });
  });
});
