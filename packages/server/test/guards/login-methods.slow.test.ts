import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { contextFor, createDevelopmentApp, issueAeToken } from '@latchkey/core';
import type { PresenceProof } from '@latchkey/kernel';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { consoleSessionSuite } from './console-session.suite.ts';
import { eventsSuite } from './events.suite.ts';
import { liveSuite } from './live.suite.ts';

// Accounts of the well-known test mnemonic, which are public.
const attacker = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const own = privateKeyToAccount('0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d');
const page = 'https://app.example';

describe('login methods of an account', () => {
  let server: TestServer;
  let people = 0;
  before(async () => {
    server = await startTestServer({ LATCHKEY_ETHEREUM_FIXED_TEXT: 'true' });
  });
  after(() => server.close());

  const newPerson = () => `DIS#USER#81${people++}`;
  consoleSessionSuite(() => server, newPerson);
  liveSuite(() => server, newPerson);
  eventsSuite(() => server, newPerson);

  const call = (method: string, path: string, authorization: string | undefined, json?: unknown) =>
    server.request(method, path, {
      ...(authorization && { headers: { authorization } }),
      ...(json !== undefined && { json }),
    });

  /** Creates a session of a user who signed in some time ago. */
  async function session(userId: string, how: PresenceProof | undefined, agoSeconds = 0): Promise<string> {
    const at = new Date(server.services.clock().getTime() - agoSeconds * 1000);
    const token = await issueAeToken(server.services, {
      userId,
      platform: 'discord',
      name: 'victim',
      scopes: ['$all'],
      credential: how === undefined ? 'operator-token' : 'chat-session',
      ...(how !== undefined && { presence: { how, at } }),
      ttlSeconds: 3600,
    });
    return `AE ${token}`;
  }

  async function logIn(account: PrivateKeyAccount, more: { uri?: string; resources?: string[] } = {}) {
    const accountId = `evm:1:${account.address}`;
    const challenge = await call('POST', '/ethereum-login/challenges', undefined, { accountId, ...more });
    assert.equal(challenge.status, 200, challenge.text);
    const { requestId, message } = challenge.json;
    const signature = await account.signMessage({ message });
    const answer = await call('POST', '/ethereum-login/id-tokens', undefined, { requestId, signature });
    return { message: message as string, answer, authorization: `AE ${answer.json.idToken}` };
  }

  async function link(account: PrivateKeyAccount, authorization: string): Promise<void> {
    const { message } = (await call('GET', '/account/auth-message', authorization)).json;
    const signedMessage = await account.signMessage({ message });
    const body = { address: account.address, message, signedMessage };
    const linked = await call('POST', '/account/wallet-address', authorization, body);
    assert.equal(linked.status, 200, linked.text);
  }

  const nameOf = async (authorization: string) => (await call('GET', '/account/me', authorization)).json.id;
  const ownAccount = ({ address }: PrivateKeyAccount) => `ETH#USER#${address}`;
  const walletOf = async (authorization: string) =>
    (await call('GET', '/latchkey/account/wallets', authorization)).json[0];

  test('the published Ethereum header allows reads for a wallet that signs in, changes nothing and enables no other login method', async () => {
    const userId = newPerson();
    const full = await session(userId, 'passkey');
    await link(own, full);
    // As published: the key of the envelope is the text itself.
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const signature = await own.signMessage({ message: 'api.collab.land' });
    const body = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ address: own.address, signature, sub: own.address })}`;
    const header = `Ethereum ${body}.${createHmac('sha256', 'api.collab.land').update(body).digest('base64url')}`;
    const statusOf = async (method: string, path: string, json?: object) =>
      (await call(method, path, header, json)).status;
    assert.equal(await statusOf('GET', '/account/me'), 401);
    const { id } = await walletOf(full);
    const signIn = `/latchkey/account/wallets/${id}/sign-in`;
    assert.equal((await call('PUT', signIn, full)).status, 200);
    for (const _ of [1, 2]) assert.equal(await nameOf(header), userId);
    assert.equal(await statusOf('GET', '/account/wallets'), 200);
    for (const [method, path, json] of [
      ['PUT', signIn, undefined],
      ['GET', '/webauthn/registration/options', undefined],
      ['POST', '/client-apps', { name: 'Mine' }],
      ['DELETE', '/latchkey/account/sessions', undefined],
    ] as const)
      assert.equal(await statusOf(method, path, json), 403, path);
    assert.equal((await call('DELETE', signIn, full)).status, 200);
    assert.equal(await statusOf('GET', '/account/me'), 401);
  });

  test('an application that may link wallets links its own and signs in only as itself', async () => {
    const victim = newPerson();
    const app = await server.apiKey(['user:wallet:read', 'user:wallet:write']);
    await link(attacker, await server.bearer(victim, ['user:wallet:read', 'user:wallet:write'], app.id));
    const { authorization } = await logIn(attacker);
    assert.equal(await nameOf(authorization), ownAccount(attacker));
    // The user unlinks it and nothing is left.
    const wallet = await walletOf(await session(victim, 'passkey'));
    assert.equal(wallet.signsIn, false);
  });

  test('the switch requires a full session with presence', async () => {
    const person = newPerson();
    const fresh = await session(person, 'chat-login');
    await link(own, fresh);
    const { id } = await walletOf(fresh);
    const path = `/latchkey/account/wallets/${id}/sign-in`;
    const app = await server.apiKey(['$all']);
    const refused: [why: string, authorization: string | undefined, status: number, code: string][] = [
      ['nobody', undefined, 401, 'AUTHENTICATION_REQUIRED'],
      [
        'a token of an application with every scope',
        await server.bearer(person, ['$all'], app.id),
        403,
        'SCOPE_NOT_ALLOWED',
      ],
      ['a token with a few scopes', await server.aeToken(person, ['user:wallet:write']), 403, 'SCOPE_NOT_ALLOWED'],
      ['a token the operator made', await session(person, undefined), 403, 'PRESENCE_REQUIRED'],
      ['a sign-in of long ago', await session(person, 'wallet', 601), 403, 'PRESENCE_REQUIRED'],
      ['a stranger', await session(newPerson(), 'wallet'), 404, 'ENTITY_NOT_FOUND'],
    ];
    for (const [why, authorization, status, code] of refused) {
      const answer = await call('PUT', path, authorization);
      assert.deepEqual([answer.status, answer.json.error.code], [status, code], why);
    }
    assert.equal(await nameOf((await logIn(own)).authorization), ownAccount(own));

    assert.equal((await call('PUT', path, fresh)).json.signsIn, true);
    assert.equal(await nameOf((await logIn(own)).authorization), person);
    assert.equal((await call('DELETE', path, fresh)).json.signsIn, false);
    assert.equal(await nameOf((await logIn(own)).authorization), ownAccount(own));
    await call('DELETE', `/account/wallets/${own.address}`, fresh);
  });

  test('a wallet that signs in to several accounts must choose one, and the signed text names it', async () => {
    const [first, second] = [newPerson(), newPerson()];
    for (const person of [first, second]) {
      const fresh = await session(person, 'passkey');
      await link(own, fresh);
      const { id } = await walletOf(fresh);
      assert.equal((await call('PUT', `/latchkey/account/wallets/${id}/sign-in`, fresh)).status, 200);
    }
    const { answer } = await logIn(own);
    assert.deepEqual([answer.status, answer.json.error.code], [409, 'STATE_CONFLICT']);
    const choices: { info: { userId: string; resource: string } }[] = answer.json.error.details;
    assert.deepEqual(
      choices.map(({ info }) => info.userId),
      [first, second, ownAccount(own)],
    );
    for (const { info } of choices) {
      const chosen = await logIn(own, { resources: [info.resource] });
      assert.ok(chosen.message.includes(info.resource));
      assert.equal(await nameOf(chosen.authorization), info.userId);
    }
    const stranger = await logIn(own, { resources: ['urn:latchkey:account:DIS%23USER%23999'] });
    assert.equal(stranger.answer.status, 401);
  });

  test('a login on an application’s page only identifies the user to it', async () => {
    const operator = contextFor(server.services, { kind: 'admin', name: 'test' });
    const app = await createDevelopmentApp(operator, {
      userId: newPerson(),
      name: 'Cat Finder',
      scopes: ['user:read', '$all'],
    });
    await server.services.db.system
      .updateTable('client_apps')
      .set({ allowed_origins: [page] })
      .where('id', '=', app.id ?? '')
      .execute();
    const { message, authorization, answer } = await logIn(attacker, { uri: `${page}/login` });
    assert.match(
      message,
      /Sign in to Cat Finder with this wallet\. This proves to Cat Finder that the wallet is yours, and nothing else\./,
    );
    for (const [method, path] of [
      ['GET', '/account/me'],
      ['GET', '/account/wallets'],
      ['POST', '/totp'],
      ['GET', '/latchkey/account/sessions'],
    ] as const) {
      const refused = await call(method, path, authorization);
      assert.notEqual(refused.status, 200, path);
    }
    assert.deepEqual(
      [answer.status, (await call('GET', '/account/me', authorization)).json.error.code],
      [200, 'SCOPE_NOT_ALLOWED'],
    );
    // It signs in nowhere: not to the application itself, and not to another.
    await server.services.db.system
      .updateTable('client_apps')
      .set({ allowed_grant_types: ['password'], client_type: 'public' })
      .where('id', '=', app.id ?? '')
      .execute();
    const grant = await server.request('POST', '/oauth2/token', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'password',
        client_id: app.id ?? '',
        username: attacker.address,
        password: answer.json.idToken,
      }).toString(),
    });
    assert.deepEqual([grant.status, grant.json.error], [400, 'invalid_grant']);
  });

  test('a person sees every session, ends one, and logs out everywhere', async () => {
    const person = newPerson();
    const [first, second] = [await session(person, 'wallet'), await session(person, 'passkey')];
    const listed = (await call('GET', '/latchkey/account/sessions', first)).json;
    assert.deepEqual(
      listed.map(({ kind, isCurrent }: { kind: string; isCurrent: boolean }) => [kind, isCurrent]).sort(),
      [
        ['chat-session', false],
        ['chat-session', true],
      ],
    );
    const other = listed.find(({ isCurrent }: { isCurrent: boolean }) => !isCurrent);
    const stranger = await session(newPerson(), 'wallet');
    assert.equal((await call('DELETE', `/latchkey/account/sessions/${other.id}`, stranger)).status, 404);
    assert.equal((await call('GET', '/account/me', second)).status, 200);
    assert.equal((await call('DELETE', `/latchkey/account/sessions/${other.id}`, first)).status, 204);
    assert.equal((await call('GET', '/account/me', second)).status, 401);
    const [bearer, narrow] = [await server.bearer(person, ['$all']), await server.bearer(person, ['user:read'])];
    const [byOperator] = (await call('GET', '/latchkey/account/sessions', first)).json;
    assert.deepEqual([byOperator.kind, byOperator.isCurrent], ['operator-token', false]);
    assert.equal((await call('DELETE', `/latchkey/account/sessions/${byOperator.id}`, first)).status, 204);
    const left = [(await call('GET', '/account/me', bearer)).status, (await call('GET', '/account/me', narrow)).status];
    assert.deepEqual(left.toSorted(), [200, 401]);
    assert.equal((await call('DELETE', '/latchkey/account/sessions', first)).status, 204);
    for (const ended of [first, bearer]) assert.equal((await call('GET', '/account/me', ended)).status, 401);
    assert.equal((await call('GET', '/account/me', stranger)).status, 200);
  });

  test('a user sees and revokes applications’ access, with their own session', async () => {
    const person = newPerson();
    const app = await server.apiKey(['user:read']);
    const mine = await session(person, 'wallet');
    await server.services.db.system
      .insertInto('user_authorizations')
      .values({
        user_id: person,
        client_id: app.id,
        scopes: ['user:read'],
        is_remembered: true,
        created_at: new Date(),
        updated_at: new Date(),
      })
      .execute();
    const token = await server.bearer(person, ['user:read'], app.id);
    assert.equal((await call('GET', '/account/me', token)).status, 200);
    assert.equal((await call('GET', '/user-authorizations', token)).status, 403);
    assert.equal((await call('GET', '/user-authorizations', mine)).json.items.length, 1);
    const [shown] = (await call('GET', '/latchkey/account/applications', mine)).json;
    assert.deepEqual([shown.clientId, shown.name, shown.scopes[0].scope], [app.id, 'Test application', 'user:read']);
    assert.equal((await call('DELETE', `/user-authorizations/${app.id}`, mine)).status, 204);
    assert.equal((await call('GET', '/account/me', token)).status, 401);
  });

  test('an owner replaces a client secret, and the old one stops', async () => {
    const person = newPerson();
    const mine = await session(person, 'wallet');
    const operator = contextFor(server.services, { kind: 'admin', name: 'test' });
    const app = await createDevelopmentApp(operator, { userId: person, name: 'Mine', scopes: ['user:read'] });
    await server.services.db.system
      .updateTable('client_apps')
      .set({ client_type: 'confidential', allowed_grant_types: ['client_credentials'] })
      .where('id', '=', app.id ?? '')
      .execute();
    const path = `/latchkey/client-apps/${app.id}/client-secret`;
    const first = (await call('POST', path, mine)).json.clientSecret;
    const second = (await call('POST', path, mine)).json.clientSecret;
    const tokenWith = (secret: string) =>
      server.request('POST', '/oauth2/token', {
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          authorization: `Basic ${Buffer.from(`${app.id}:${secret}`).toString('base64')}`,
        },
        body: 'grant_type=client_credentials',
      });
    assert.equal((await tokenWith(first)).status, 401);
    assert.equal((await tokenWith(second)).status, 200);
    assert.equal((await call('POST', path, await session(newPerson(), 'wallet'))).status, 404);
  });

  test('added and removed login methods are audited, with actor, address and request', async () => {
    const person = newPerson();
    const fresh = await session(person, 'chat-login');
    await link(own, fresh);
    const { id } = await walletOf(fresh);
    const on = await call('PUT', `/latchkey/account/wallets/${id}/sign-in`, fresh);
    await call('DELETE', `/account/wallets/${own.address}`, fresh);
    await call('DELETE', '/latchkey/account/sessions', fresh);
    const { system } = server.services.db;
    const entries = await system
      .selectFrom('audit_entries')
      .selectAll()
      .where('who', '=', person)
      .orderBy('id')
      .execute();
    assert.deepEqual(
      entries.map(({ action, through }) => `${action} by ${through}`),
      [
        'session.create by page',
        'wallet.link by page',
        'wallet.sign-in-on by page',
        'wallet.unlink by page',
        'session.end-all by page',
      ],
    );
    const [, , switched] = entries;
    assert.deepEqual(
      [switched?.target, switched?.request_id, switched?.from_address],
      [id, on.headers.get('x-request-id'), '127.0.0.1'],
    );
  });
});
