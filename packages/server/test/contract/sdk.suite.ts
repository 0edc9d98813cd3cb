import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { after, before, test } from 'node:test';
import { calculateJwkThumbprint } from 'jose';
import { privateKeyToAccount } from 'viem/accounts';
import type { RunningSigner } from '../../src/signer/run.ts';
import { newDevice } from '../harness/passkeys.ts';
import { otpMailedTo } from '../harness/read-mail.ts';
import {
  aboutCommunities,
  aboutRoles,
  aboutWallets,
  connectSdk,
  createSdkCaller,
  refusedWith,
  type Sdk,
} from '../harness/sdk-client.ts';
import { startTestSigner } from '../harness/start-signer.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import {
  aboutHostedWallets,
  aboutLogins,
  aboutMiniApps,
  aboutNear,
  aboutPartners,
  aboutPayments,
} from './sdk-resources.ts';
import { turns } from './turns.ts';

// The first key of the well-known test mnemonic, which is public.
const publicTestKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

/** Resources that need more than one call per operation. */
const withTestOfTheirOwn = [
  'webauthn',
  ...aboutCommunities,
  ...aboutHostedWallets,
  ...aboutLogins,
  ...aboutMiniApps,
  ...aboutNear,
  ...aboutPartners,
  ...aboutPayments,
  ...aboutRoles,
  ...aboutWallets,
];

turns.describe('contract: sdk', () => {
  let server: TestServer;
  let signer: RunningSigner;
  let asUser: Sdk;
  let asOperator: Sdk;
  let asStranger: Sdk;
  const { call, routesLeft } = createSdkCaller();
  const connect = (credential: Record<string, string>) => connectSdk(server, credential);

  before(async () => {
    server = await startTestServer();
    signer = await startTestSigner(server);
    asUser = await connect({ authenticatedEncryption: await server.aeToken('DIS#USER#sdk') });
    asOperator = await connect({ apiKey: server.adminKey });
    asStranger = await connect({ apiKey: 'unknown.unknown' });
  });

  after(async () => {
    await signer?.stop();
    await server.close();
  });

  test('the original SDK reaches every served operation and gets its response', async () => {
    const { keys } = await call(asUser, 'GET /.well-known/jwks.json');
    assert.equal((await call(asUser, 'GET /.well-known/openid-configuration')).issuer, server.url);
    assert.match((await call(asUser, 'GET /config')).actionEcdsaPublicKey, /^0x04[0-9a-f]{128}$/);
    assert.equal((await call(asUser, 'GET /ping', 0)).message, 'pong');
    const pem = await call(asUser, 'GET /jwt/public-keys/{kid}', keys[0].kid);
    assert.equal(await calculateJwkThumbprint(createPublicKey(pem)), keys[0].kid);
    const plain = await fetch(`${server.url}/jwt/public-keys/${keys[0].kid}`);
    assert.match(plain.headers.get('content-type') ?? '', /^text\/plain/);
    assert.equal(await plain.text(), pem);
    assert.ok((await call(asUser, 'GET /scopes')).length > 5);
    assert.equal((await call(asUser, 'GET /scopes/{id}', 'token-gating')).scopes[0].id, 'token-gating');
    assert.equal((await call(asUser, 'GET /scopes/ids/{ids}', 'user:read,token-gating')).length, 2);

    const state = await call(asUser, 'POST /states', { hello: 'world' });
    assert.deepEqual(await call(asUser, 'GET /states/{slug}', state.slug), { hello: 'world' });
    // The SDK follows the redirect to the state itself.
    assert.deepEqual(await call(asUser, 'GET /slugs/{slug}', state.slug), { hello: 'world' });
    await call(asUser, 'GET /qrcode/{data}', 'https://example.org/?a=1#b');
    await call(asUser, 'GET /totp/{requestId}', 'request-1');

    const published = { logLevel: 'debug', debugSettings: 'collabland:*' };
    const changed = await call(asOperator, 'PUT /log/settings', 10, [published]);
    assert.equal(changed[0].logLevel, 'debug');
    assert.equal((await call(asOperator, 'GET /log/settings', 0)).length, changed.length);

    assert.ok((await call(asUser, 'GET /dev-orgs/plans')).length >= 2);
    const organization = await call(asUser, 'POST /dev-orgs', { name: 'Acme', email: 'dev@example.org' });
    const orgId = organization.sk.split('#')[1];
    assert.equal((await call(asUser, 'GET /dev-orgs')).length, 1);
    assert.equal((await call(asUser, 'GET /dev-orgs/{orgId}', orgId)).name, 'Acme');
    assert.ok((await call(asUser, 'GET /dev-orgs/plans/{planId}', organization.planId)).name);
    const otp = await otpMailedTo(server, 'dev@example.org');
    assert.equal((await call(asUser, 'POST /dev-orgs/verify', { otp })).sk, organization.sk);
    const wallet = await call(asUser, 'PUT /dev-orgs/{orgId}/wallet', orgId);
    assert.deepEqual(await call(asUser, 'GET /dev-orgs/{orgId}/wallet', orgId), wallet);

    const app = await call(asUser, 'POST /client-apps', { pk: orgId, name: 'First', clientType: 'apiKey' });
    assert.equal(app.status, 'PENDING');
    assert.equal((await call(asUser, 'GET /client-apps', 10)).items.length, 1);
    assert.equal((await call(asUser, 'GET /client-apps/{id}', app.id)).name, 'First');
    assert.equal((await call(asUser, 'PATCH /client-apps/{id}', app.id, { name: 'Second' })).name, 'Second');
    assert.notEqual((await call(asUser, 'PATCH /client-apps/{clientAppId}/reset-api-key', app.id)).apiKey, app.apiKey);
    assert.equal((await call(asUser, 'GET /client-apps/dev-orgs/{organizationId}', orgId)).length, 1);
    assert.equal(
      await call(asOperator, 'PUT /client-apps/{id}', app.id, { name: 'Third', status: 'APPROVED' }),
      undefined,
    );
    assert.equal((await call(asUser, 'GET /client-apps/{id}', app.id)).name, 'Third');
    assert.equal(await call(asUser, 'DELETE /client-apps/{id}', app.id), undefined);
    await assert.rejects(call(asUser, 'GET /client-apps/{id}', app.id), refusedWith(404, 'ENTITY_NOT_FOUND'));

    const signer = privateKeyToAccount(publicTestKey);
    const { requestId, message } = await call(asUser, 'POST /ethereum-login/challenges', {
      accountId: `evm:1:${signer.address}`,
    });
    const signature = await signer.signMessage({ message });
    const { idToken } = await call(asUser, 'POST /ethereum-login/id-tokens', { requestId, signature });
    assert.deepEqual(await call(await connect({ authenticatedEncryption: `AE ${idToken}` }), 'GET /dev-orgs'), []);

    assert.deepEqual(
      routesLeft((name) => !withTestOfTheirOwn.includes(name)).filter((route) => !route.includes(' /latchkey/')),
      [],
    );
  });

  test('the original SDK registers a passkey, signs in with it and manages it', async () => {
    const device = newDevice();
    const ask = (sdk: Sdk, route: string, ...args: unknown[]) => call(sdk, route, ...args) as Promise<never>;
    const made = device.create(
      await ask(asUser, 'POST /webauthn/registration/options', 'required', undefined, 'required', 'localhost', 'chain'),
    );
    assert.deepEqual(await ask(asUser, 'POST /webauthn/registration/verify', made), { verified: true });
    const more = await ask(
      asUser,
      'GET /webauthn/registration/options',
      undefined,
      'true',
      undefined,
      undefined,
      'jwt',
    );
    assert.equal((more as { excludeCredentials: { id: string }[] }).excludeCredentials[0]?.id, made.id);

    const options = await ask(
      asUser,
      'POST /webauthn/authentication/options',
      'required',
      'localhost',
      '0xab',
      'chain',
    );
    assert.match((options as { challengeText: string }).challengeText, /\nchallenge: 0xab$/);
    const signedIn = await ask(asUser, 'POST /webauthn/authentication/verify', device.get(options));
    const { verified, idToken } = signedIn as { verified: boolean; idToken: string };
    assert.equal(verified, true);
    const asSignedIn = await connect({ authenticatedEncryption: `AE ${idToken}` });

    const later = await ask(asUser, 'GET /webauthn/authentication/options', undefined, undefined, undefined, 'slug');
    const slug = await ask(asUser, 'POST /webauthn/authentication/store', device.get(later));
    assert.match(slug, /^[0-9A-Za-z]{32}$/);
    assert.ok(((await ask(asUser, 'POST /webauthn/authentication/verify', { slug })) as { idToken: string }).idToken);

    const { items } = (await ask(asSignedIn, 'GET /webauthn/credentials', 'localhost')) as { items: { id: string }[] };
    assert.equal(items.length, 1);
    const id = items[0]?.id;
    const nameOf = async () =>
      ((await ask(asSignedIn, 'GET /webauthn/credentials/{id}', id)) as Record<string, unknown>).name;
    assert.notEqual(await nameOf(), 'Phone');
    assert.equal(await ask(asSignedIn, 'PATCH /webauthn/credentials/{id}', id, { name: 'Phone' }), undefined);
    const passkey = (await ask(asSignedIn, 'GET /webauthn/credentials/{id}', id)) as Record<string, unknown>;
    assert.deepEqual(
      [passkey.name, passkey.pk, passkey.credentialID, passkey.userVerified],
      ['Phone', 'DIS#USER#sdk', made.id, true],
    );
    assert.equal(await ask(asSignedIn, 'DELETE /webauthn/credentials/{id}', id), undefined);
    await assert.rejects(nameOf(), refusedWith(404, 'ENTITY_NOT_FOUND'));
    assert.deepEqual(
      routesLeft((name) => name === 'webauthn'),
      [],
    );
  });

  test('a refusal reaches the SDK as an error with its status and body', async () => {
    await assert.rejects(call(asStranger, 'GET /client-apps', 10), refusedWith(401, 'INVALID_CREDENTIAL'));
  });
});
