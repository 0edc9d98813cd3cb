import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Actor } from '@latchkey/kernel';
import { ensureSigningKeys } from '../../services/signing-keys/index.ts';
import { contextFor } from '../../shared/context.ts';
import { alice, mallory, nobody, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { generateRegistrationOptions } from './generate-options.ts';
import { generateAuthenticationOptions, getCredential, getCredentials } from './operations.ts';
import type { RegistrationRequest, RegistrationResponse } from './records.ts';
import { type Algorithm, type Device, newDevice, newPerson, register, withClientData } from './testing.ts';
import { verifyRegistrationResponse } from './verify-registration.ts';

const refusedAs = (doubt: string) => (error: unknown) => {
  const { code, details } = error as { code: string; details: { code: string }[] };
  assert.deepEqual([code, details[0]?.code], ['VALIDATION_FAILED', doubt]);
  return true;
};

describe('registering a passkey', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('passkey-registration');
    await ensureSigningKeys(t.services);
  });
  after(() => t.close());

  const begin = (actor: Actor, request: RegistrationRequest = {}) => generateRegistrationOptions(t.as(actor), request);
  const finish = (actor: Actor, body: RegistrationResponse) => verifyRegistrationResponse(t.as(actor), { body });
  const listOf = async (actor: Actor) => (await getCredentials(t.as(actor), {})).items;

  for (const algorithm of ['ES256', 'EdDSA', 'RS256'] satisfies Algorithm[]) {
    for (const challengeFormat of ['slug', 'jwt', 'chain'] as const) {
      test(`works with a key of ${algorithm} and a challenge of the format ${challengeFormat}`, async () => {
        const user = newPerson();
        const made = newDevice({ algorithm }).create(await begin(user, { challengeFormat }));
        const body = { ...made, name: 'My phone', userAgent: 'Browser/1' };
        assert.deepEqual(await finish(user, body), { verified: true });
        const [passkey] = await listOf(user);
        assert.equal(passkey?.credentialID, made.id);
        assert.deepEqual(
          [passkey?.pk, passkey?.rpID, passkey?.name, passkey?.counter, passkey?.transports, passkey?.userAgent],
          [user.userId, 'latchkey.test', 'My phone', 0, ['usb'], 'Browser/1'],
        );
        assert.deepEqual([passkey?.userVerified, passkey?.credentialDeviceType], [true, 'multiDevice']);
        assert.deepEqual(passkey?.clientExtensionResults, { credProps: { rk: true } });
        assert.deepEqual(await getCredential(t.as(user), { id: passkey?.id ?? '' }), passkey);
      });
    }
  }

  test('the options contain what was requested, and one random user name', async () => {
    const user = newPerson();
    const plain = await begin(user);
    assert.deepEqual(plain.rp, { id: 'latchkey.test', name: 'Latchkey' });
    assert.deepEqual(plain.authenticatorSelection, {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'preferred',
    });
    assert.match(plain.user.id, /^[\w-]{43}$/);
    assert.equal((await begin(user)).user.id, plain.user.id);
    assert.notEqual((await begin(user)).challenge, plain.challenge);
    assert.notEqual((await begin(newPerson())).user.id, plain.user.id);
    const residentKeyFor = async (request: RegistrationRequest) =>
      (await begin(user, request)).authenticatorSelection.residentKey;
    assert.equal(await residentKeyFor({ requireResidentKey: 'true' }), 'required');
    assert.equal(await residentKeyFor({ requireResidentKey: 'false' }), 'discouraged');
    assert.equal(await residentKeyFor({ requireResidentKey: 'true', residentKey: 'preferred' }), 'preferred');
    const strict = await begin(user, { userVerification: 'required' });
    assert.equal(strict.authenticatorSelection.userVerification, 'required');
    await assert.rejects(begin(user, { rpID: 'evil.test' }), { code: 'INVALID_PARAMETER_VALUE' });
  });

  test('an authenticator with a passkey of the user creates no second one', async () => {
    const user = newPerson();
    const device = newDevice();
    await register(t, user, device);
    const options = await begin(user);
    const [passkey] = await listOf(user);
    assert.deepEqual(options.excludeCredentials, [
      { id: passkey?.credentialID, type: 'public-key', transports: ['usb'] },
    ]);
    assert.throws(() => device.create(options), { name: 'NotAllowedError' });
  });

  test('a passkey that is already registered is refused for every user', async () => {
    const user = newPerson();
    const made = newDevice().create(await begin(user));
    await finish(user, made);
    for (const actor of [user, mallory]) {
      const { challenge } = await begin(actor);
      await assert.rejects(finish(actor, withClientData(made, { challenge })), { code: 'STATE_CONFLICT' });
    }
    assert.equal((await listOf(user)).length, 1);
    assert.equal((await listOf(mallory)).length, 0);
  });

  test('a challenge is valid for one attempt, right or wrong, within five minutes', async () => {
    for (const challengeFormat of ['slug', 'jwt', 'chain'] as const) {
      const user = newPerson();
      const request = { challengeFormat };
      const made = newDevice().create(await begin(user, request));
      await finish(user, made);
      await assert.rejects(finish(user, made), refusedAs('challenge'));

      const wronged = newDevice().create(await begin(user, request));
      await assert.rejects(finish(user, withClientData(wronged, { origin: 'https://evil.test' })), refusedAs('origin'));
      await assert.rejects(finish(user, wronged), refusedAs('challenge'));

      const late = newDevice().create(await begin(user, request));
      t.advanceSeconds(300);
      await assert.rejects(finish(user, late), refusedAs('challenge'));
      assert.equal((await listOf(user)).length, 1, challengeFormat);
    }
  });

  test('of many concurrent equal responses one registers', async () => {
    for (const challengeFormat of ['slug', 'jwt', 'chain'] as const) {
      const user = newPerson();
      const made = newDevice().create(await begin(user, { challengeFormat }));
      const tries = await Promise.allSettled(Array.from({ length: 50 }, () => finish(user, made)));
      assert.equal(tries.filter(({ status }) => status === 'fulfilled').length, 1, challengeFormat);
      assert.equal((await listOf(user)).length, 1);
    }
  });

  test('a challenge of another user, of a sign-in, or an unknown one is refused', async () => {
    const made = newDevice().create(await begin(alice));
    await assert.rejects(finish(mallory, made), refusedAs('challenge'));
    await assert.rejects(finish(alice, made), refusedAs('challenge'));
    const { challenge } = await generateAuthenticationOptions(t.as(alice), {});
    await assert.rejects(finish(alice, withClientData(made, { challenge })), refusedAs('challenge'));
    for (const unknown of ['', 'AAAA', Buffer.from('a.b.c').toString('base64url'), '\u0000'])
      await assert.rejects(finish(alice, withClientData(made, { challenge: unknown })), refusedAs('challenge'));
  });

  /** Each entry changes one thing in an otherwise valid response. */
  const wrongs: Record<string, [doubt: string, make: (device: Device, user: Actor) => Promise<RegistrationResponse>]> =
    {
      'a page elsewhere': ['origin', async (device, user) => device.create(await begin(user), 'https://evil.test')],
      'a page inside another page': [
        'origin',
        async (device, user) => withClientData(device.create(await begin(user)), { crossOrigin: true }),
      ],
      'another kind of ceremony': [
        'response',
        async (device, user) => withClientData(device.create(await begin(user)), { type: 'webauthn.get' }),
      ],
      'another domain': [
        'response',
        async (device, user) => {
          const options = await begin(user);
          return device.create({ ...options, rp: { ...options.rp, id: 'sub.latchkey.test' } });
        },
      ],
      'an unlocked device that should have asked for its PIN': [
        'response',
        async (_device, user) =>
          newDevice({ isVerified: false }).create(await begin(user, { userVerification: 'required' })),
      ],
      'another id than the one inside': [
        'response',
        async (device, user) => ({ ...device.create(await begin(user)), id: 'AAAA', rawId: 'AAAA' }),
      ],
      'two ids': ['response', async (device, user) => ({ ...device.create(await begin(user)), rawId: 'AAAA' })],
      'client data that is no JSON': [
        'response',
        async (device, user) => withPart(device.create(await begin(user)), 'AAAA'),
      ],
      'client data that is nothing': [
        'response',
        async (device, user) => withPart(device.create(await begin(user)), 'bnVsbA'),
      ],
      'an attestation object that is cut off': [
        'response',
        async (device, user) => {
          const made = device.create(await begin(user));
          const attestationObject = made.response.attestationObject.slice(0, -40);
          return { ...made, response: { ...made.response, attestationObject } };
        },
      ],
      'an attestation object of another format': [
        'response',
        async (device, user) => attested(device.create(await begin(user))),
      ],
    };

  function withPart(made: RegistrationResponse, clientDataJSON: string): RegistrationResponse {
    return { ...made, response: { ...made.response, clientDataJSON } };
  }

  /** The same with a certificate attestation instead of none: CBOR text and map are replaced byte by byte. */
  function attested(made: RegistrationResponse): RegistrationResponse {
    const bytes = Buffer.from(made.response.attestationObject, 'base64url');
    const none = Buffer.concat([Buffer.from('63666d74646e6f6e65', 'hex'), Buffer.from('6761747453746d74a0', 'hex')]);
    const at = bytes.indexOf(none);
    assert.ok(at > 0, 'the attestation object is written in another order');
    const packed = Buffer.from('63666d74667061636b6564' + '6761747453746d74a163783563' + '8141ff', 'hex');
    const changed = Buffer.concat([bytes.subarray(0, at), packed, bytes.subarray(at + none.length)]);
    return { ...made, response: { ...made.response, attestationObject: changed.toString('base64url') } };
  }

  for (const [what, [doubt, make]] of Object.entries(wrongs)) {
    test(`${what} is refused, and nothing is stored`, async () => {
      const user = newPerson();
      await assert.rejects(finish(user, await make(newDevice(), user)), refusedAs(doubt));
      assert.deepEqual(await listOf(user), []);
    });
  }

  test('only a user whose session may change passkeys can add one', async () => {
    const weak: Actor = { ...newPerson(), scopes: ['user:read'] };
    const client = { id: 'app', name: 'App', allowedScopes: ['user:read'], disallowedScopes: [] };
    const throughWeakApp: Actor = { ...newPerson(), client };
    for (const actor of [weak, throughWeakApp]) await assert.rejects(begin(actor), { code: 'SCOPE_NOT_ALLOWED' });
    for (const actor of [nobody, operator, { kind: 'client', client, credential: 'api-key' } as const])
      await assert.rejects(begin(actor), { code: 'ROLE_NOT_ALLOWED' });
    const user = newPerson();
    const made = newDevice().create(await begin(user));
    await assert.rejects(finish({ ...user, scopes: ['user:read'] }, made), { code: 'SCOPE_NOT_ALLOWED' });
    await assert.rejects(finish({ ...user, credential: 'operator-token' }, made), { code: 'ROLE_NOT_ALLOWED' });
  });

  test('a user can have fifty passkeys, even when two are added at once', async () => {
    const user = newPerson();
    await register(t, user, newDevice());
    const { system } = t.services.db;
    const row = await system
      .selectFrom('webauthn_credentials')
      .selectAll()
      .where('user_id', '=', user.userId)
      .executeTakeFirstOrThrow();
    const more = Array.from({ length: 48 }, (_, n) => ({
      ...row,
      id: `${row.id}${n}`,
      credential_id: `extra${row.id}${n}`,
    }));
    await system.insertInto('webauthn_credentials').values(more).execute();
    const two = await Promise.all([0, 1].map(async () => newDevice().create(await begin(user))));
    const tries = await Promise.allSettled(two.map((made) => finish(user, made)));
    assert.deepEqual(tries.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    await assert.rejects(begin(user), { code: 'STATE_CONFLICT', message: /up to 50 passkeys/ });
    assert.equal((await listOf(user)).length, 50);
  });

  test('a registration whose transaction is rolled back leaves no passkey, and its challenge stays used', async () => {
    const user = newPerson();
    const made = newDevice().create(await begin(user));
    const work = t.services.db.transaction({ owner: user.userId }, async (tx) => {
      await verifyRegistrationResponse(contextFor(t.services, user, tx), { body: made });
      throw new Error('the rest failed');
    });
    await assert.rejects(work, /the rest failed/);
    assert.deepEqual(await listOf(user), []);
    await assert.rejects(finish(user, made), refusedAs('challenge'));
  });

  test('a page on another local port may be used while the server is local', async () => {
    const user = newPerson();
    const settings = { ...t.services.settings, baseUrl: 'http://127.0.0.1:3000' };
    const ctx = contextFor({ ...t.services, settings }, user);
    const made = newDevice().create(await generateRegistrationOptions(ctx, {}), 'http://localhost:5173');
    assert.deepEqual(await verifyRegistrationResponse(ctx, { body: made }), { verified: true });
    assert.equal((await listOf(user))[0]?.rpID, 'localhost');
  });
});
