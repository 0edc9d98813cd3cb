import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CollabLandClient } from '@collabland/sdk';
import { resources } from '@latchkey/core';
import { type Operation, type Resource, splitSdk } from '@latchkey/kernel';
import { privateKeyToAccount } from 'viem/accounts';
import { newDevice } from '../harness/passkeys.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

// The first key of the well-known test mnemonic: nobody's secret.
const publicTestKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

/** Resources that one call after the other does not do justice to. */
const withTestOfTheirOwn = ['webauthn'];

describe('contract: sdk', () => {
  type Call = (...args: unknown[]) => Promise<unknown>;
  type Apis = Record<string, Record<string, Call>>;

  let server: TestServer;
  let asUser: Apis;
  let asOperator: Apis;
  let asStranger: Apis;
  const called = new Set<string>();
  const operations = (resources as readonly Resource[]).flatMap((resource) => resource.operations);

  async function connect(credential: Record<string, string>): Promise<Apis> {
    const client = new CollabLandClient(credential, server.url);
    await client.connect();
    const source = (await client.get('datasources.rest')) as { getService(): Promise<{ apis: Apis }> };
    return (await source.getService()).apis;
  }

  /** Calls an operation by the name the SDK knows it under, with arguments in the SDK's order. */
  async function call(apis: Apis, route: string, ...args: unknown[]): Promise<unknown> {
    const operation = operations.find((candidate) => candidate.route === route) as Operation;
    const { controller, method } = splitSdk(operation);
    const verb = apis[controller]?.[method];
    assert.ok(verb, `the SDK has no ${controller}.${method}`);
    called.add(route);
    return verb(...args);
  }

  before(async () => {
    server = await startTestServer();
    asUser = await connect({ authenticatedEncryption: await server.aeToken('DIS#USER#sdk') });
    asOperator = await connect({ apiKey: server.adminKey });
    asStranger = await connect({ apiKey: 'unknown.unknown' });
  });

  after(async () => {
    await server.close();
  });

  test('the original SDK reaches every served operation and gets its answer', async () => {
    const answers: Record<string, unknown> = {};
    const keep = async (apis: Apis, route: string, ...args: unknown[]) => {
      answers[route] = await call(apis, route, ...args);
      // biome-ignore lint/suspicious/noExplicitAny: the SDK's answers are untyped here.
      return answers[route] as any;
    };

    const { keys } = await keep(asUser, 'GET /.well-known/jwks.json');
    assert.equal((await keep(asUser, 'GET /.well-known/openid-configuration')).issuer, server.url);
    assert.match((await keep(asUser, 'GET /config')).actionEcdsaPublicKey, /^0x04[0-9a-f]{128}$/);
    assert.equal((await keep(asUser, 'GET /ping', 0)).message, 'pong');
    await keep(asUser, 'GET /jwt/public-keys/{kid}', keys[0].kid);
    assert.ok((await keep(asUser, 'GET /scopes')).length > 5);
    assert.equal((await keep(asUser, 'GET /scopes/{id}', 'token-gating')).scopes[0].id, 'token-gating');
    assert.equal((await keep(asUser, 'GET /scopes/ids/{ids}', 'user:read,token-gating')).length, 2);

    const state = await keep(asUser, 'POST /states', { hello: 'world' });
    assert.deepEqual(await keep(asUser, 'GET /states/{slug}', state.slug), { hello: 'world' });
    // The SDK follows the redirect to the state itself.
    assert.deepEqual(await keep(asUser, 'GET /slugs/{slug}', state.slug), { hello: 'world' });
    await keep(asUser, 'GET /qrcode/{data}', 'https://example.org/?a=1#b');
    await keep(asUser, 'GET /totp/{requestId}', 'request-1');

    const changed = await keep(asOperator, 'PUT /log/settings', 2, [{ logLevel: 'debug' }]);
    assert.equal(changed[0].logLevel, 'debug');
    assert.equal((await keep(asOperator, 'GET /log/settings', 0)).length, changed.length);

    assert.ok((await keep(asUser, 'GET /dev-orgs/plans')).length >= 2);
    const organization = await keep(asUser, 'POST /dev-orgs', { name: 'Acme', email: 'dev@example.org' });
    const orgId = organization.sk.split('#')[1];
    assert.equal((await keep(asUser, 'GET /dev-orgs')).length, 1);
    assert.equal((await keep(asUser, 'GET /dev-orgs/{orgId}', orgId)).name, 'Acme');
    assert.ok((await keep(asUser, 'GET /dev-orgs/plans/{planId}', organization.planId)).name);
    const otp = await otpFromMail();
    assert.equal((await keep(asUser, 'POST /dev-orgs/verify', { otp })).sk, organization.sk);
    const wallet = await keep(asUser, 'PUT /dev-orgs/{orgId}/wallet', orgId);
    assert.deepEqual(await keep(asUser, 'GET /dev-orgs/{orgId}/wallet', orgId), wallet);

    const app = await keep(asUser, 'POST /client-apps', { pk: orgId, name: 'First', clientType: 'apiKey' });
    assert.equal(app.status, 'PENDING');
    assert.equal((await keep(asUser, 'GET /client-apps', 10)).items.length, 1);
    assert.equal((await keep(asUser, 'GET /client-apps/{id}', app.id)).name, 'First');
    assert.equal((await keep(asUser, 'PATCH /client-apps/{id}', app.id, { name: 'Second' })).name, 'Second');
    assert.notEqual((await keep(asUser, 'PATCH /client-apps/{clientAppId}/reset-api-key', app.id)).apiKey, app.apiKey);
    assert.equal((await keep(asUser, 'GET /client-apps/dev-orgs/{organizationId}', orgId)).length, 1);
    assert.equal(
      await keep(asOperator, 'PUT /client-apps/{id}', app.id, { name: 'Third', status: 'APPROVED' }),
      undefined,
    );
    assert.equal(await keep(asUser, 'DELETE /client-apps/{id}', app.id), undefined);

    const signer = privateKeyToAccount(publicTestKey);
    const { requestId, message } = await keep(asUser, 'POST /ethereum-login/challenges', {
      accountId: `evm:1:${signer.address}`,
    });
    const signature = await signer.signMessage({ message });
    const { idToken } = await keep(asUser, 'POST /ethereum-login/id-tokens', { requestId, signature });
    assert.deepEqual(await call(await connect({ authenticatedEncryption: `AE ${idToken}` }), 'GET /dev-orgs'), []);

    assert.deepEqual(
      routesLeft(({ name }) => !withTestOfTheirOwn.includes(name)),
      [],
    );
  });

  test('the original SDK registers a passkey, signs in with it and looks after it', async () => {
    const device = newDevice();
    const ask = (apis: Apis, route: string, ...args: unknown[]) => call(apis, route, ...args) as Promise<never>;
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
    assert.equal(await ask(asSignedIn, 'PATCH /webauthn/credentials/{id}', id, { name: 'Phone' }), undefined);
    const passkey = (await ask(asSignedIn, 'GET /webauthn/credentials/{id}', id)) as Record<string, unknown>;
    assert.deepEqual(
      [passkey.name, passkey.pk, passkey.credentialID, passkey.userVerified],
      ['Phone', 'DIS#USER#sdk', made.id, true],
    );
    assert.equal(await ask(asSignedIn, 'DELETE /webauthn/credentials/{id}', id), undefined);
    assert.deepEqual(
      routesLeft(({ name }) => name === 'webauthn'),
      [],
    );
  });

  /** The operations of some resources that were not called. */
  function routesLeft(isMeant: (resource: Resource) => boolean): string[] {
    const meant = (resources as readonly Resource[]).filter(isMeant).flatMap((resource) => resource.operations);
    return meant.map((operation) => operation.route as string).filter((route) => !called.has(route));
  }

  test('a refusal reaches the SDK as an error with its status and body', async () => {
    await assert.rejects(call(asStranger, 'GET /client-apps', 10), (error: unknown) => {
      const { status, response } = error as { status: number; response: { body: { error: { code: string } } } };
      assert.equal(status, 401);
      assert.equal(response.body.error.code, 'INVALID_CREDENTIAL');
      return true;
    });
  });

  async function otpFromMail(): Promise<string> {
    const deadline = performance.now() + 10_000;
    while (performance.now() < deadline) {
      const code = server.mail
        .messages()
        .map((mail) => /\b\d{6}\b/.exec(mail.text)?.[0])
        .find((found) => found !== undefined);
      if (code !== undefined) return code;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error('The mail with the one-time password did not come.');
  }
});
