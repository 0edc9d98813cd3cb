import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createKeyring, sql } from '@latchkey/db';
import { openIdScopes, scopes } from '@latchkey/kernel';
import { locales } from '@latchkey/kernel/messages';
import { chain, setUpGuild } from '../../gating/role-changes/testing/index.ts';
import { createDevelopmentApp } from '../../identity/client-apps/index.ts';
import { newAccessToken, verifyAccessToken } from '../../identity/credentials/index.ts';
import { rewrapAll } from '../../services/signing-keys/index.ts';
import { messagesIn } from '../../shared/messages/index.ts';
import { operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { consumeArtifact, findArtifact, putArtifact, removeArtifact } from './artifact.ts';
import { canonicalScopes, describeScope, findForbiddenScope, isRegistered } from './authorization-request.ts';
import { readWalletClaims, rememberAccount } from './find-maker.ts';
import { endGrant, findGrant, putGrant } from './grant.ts';
import { sortScopes } from './grantable-scopes.ts';
import { oauth2Erasure, oauth2Sealed } from './index.ts';
import { readLivingClaims, stillHold } from './living-claims.ts';
import { findProviderToken, putProviderToken } from './provider-token.ts';

const person = { userId: 'DIS#USER#100', platform: 'discord', name: 'alice' };

describe('what OAuth2 stores', () => {
  let t: TestPlatform;
  let clientId: string;
  before(async () => {
    t = await testPlatform('oauth2');
    const app = await createDevelopmentApp(t.as(operator), {
      userId: 'DIS#USER#9',
      name: 'App',
      scopes: ['user:read'],
    });
    clientId = app.id ?? '';
    await rememberAccount(t.services, person);
  });
  after(() => t.close());

  const nowSeconds = () => Math.floor(t.services.clock().getTime() / 1000);
  const findClient = async (id: string) => ({ id, name: 'App', allowedScopes: ['user:read'], disallowedScopes: [] });

  async function newGrant(): Promise<string> {
    const id = t.services.random.id();
    const exp = nowSeconds() + 3600;
    await putGrant(t.services, id, { accountId: person.userId, clientId, exp, openid: { scope: 'openid' } });
    return id;
  }

  async function newToken(grantId: string, extra = {}): Promise<string> {
    const token = newAccessToken(t.services.random);
    const times = { iat: nowSeconds(), exp: nowSeconds() + 600 };
    const fields = { accountId: person.userId, clientId, grantId, scope: 'openid user:read', gty: 'implicit' };
    await putProviderToken(t.services, token, { kind: 'AccessToken', ...fields, ...times, ...extra });
    return token;
  }

  test('an artifact is found by its id, once, and neither its id nor its content is readable in the table', async () => {
    const id = 'lk_ac_an-id-that-opens-something';
    const grantId = await newGrant();
    await putArtifact(t.services, 'code', id, { grantId, nonce: 'a-secret-nonce', accountId: person.userId }, 60);
    assert.equal((await findArtifact(t.services, 'code', id))?.nonce, 'a-secret-nonce');
    assert.equal(await findArtifact(t.services, 'refresh-token', id), undefined);
    const { rows } = await sql<{ row: string }>`select a::text as row from oauth_artifacts a`.execute(
      t.services.db.system,
    );
    assert.equal(
      rows.some(({ row }) => row.includes(id) || row.includes('a-secret-nonce')),
      false,
    );
    const uses = await Promise.all(Array.from({ length: 20 }, () => consumeArtifact(t.services, 'code', id)));
    assert.equal(uses.filter(Boolean).length, 1);
    assert.equal((await findArtifact(t.services, 'code', id))?.consumed, nowSeconds());
    // Written again, it stays consumed.
    await putArtifact(t.services, 'code', id, { grantId }, 60);
    assert.equal(await consumeArtifact(t.services, 'code', id), false);
    await removeArtifact(t.services, 'code', id);
    assert.equal(await findArtifact(t.services, 'code', id), undefined);
  });

  test('sealed content survives a change of the master key', async () => {
    const { random } = t.services;
    const [older, newer] = ['older', 'newer'].map((id) => ({ id, key: random.bytes(32) }));
    assert.ok(older && newer);
    const under = (...keys: Parameters<typeof createKeyring>[0]) => ({
      ...t.services,
      keyring: createKeyring(keys, random),
    });
    await t.services.db.system.deleteFrom('oauth_artifacts').execute();
    await putArtifact(under(older), 'session', 'session-id', { uid: 'uid', accountId: person.userId }, 60);
    await rewrapAll(under(newer, older), oauth2Sealed);
    assert.equal((await findArtifact(under(newer), 'session', 'session-id'))?.uid, 'uid');
    await t.services.db.system.deleteFrom('oauth_artifacts').execute();
  });

  test('a grant that ends revokes its tokens, even one written a moment later', async () => {
    const grantId = await newGrant();
    const early = await newToken(grantId);
    assert.equal((await findProviderToken(t.services, 'AccessToken', early))?.grantId, grantId);
    assert.equal(await findProviderToken(t.services, 'ClientCredentials', early), undefined);
    const actor = await verifyAccessToken(t.services, early, findClient);
    assert.deepEqual([actor.kind, actor.kind === 'user' && actor.userId], ['user', person.userId]);
    await putArtifact(t.services, 'refresh-token', 'lk_rt_1', { grantId }, 60);
    await endGrant(t.services, grantId);
    const late = await newToken(grantId);
    for (const token of [early, late]) {
      assert.equal(await findProviderToken(t.services, 'AccessToken', token), undefined);
      await assert.rejects(verifyAccessToken(t.services, token, findClient), { code: 'INVALID_CREDENTIAL' });
    }
    assert.equal(await findArtifact(t.services, 'refresh-token', 'lk_rt_1'), undefined);
    assert.equal(await findGrant(t.services, grantId), undefined);
  });

  test('a token is active while its claims hold: a loss ends it, an unknown does not', async () => {
    const guild = await setUpGuild(t, { members: 2 });
    const userId = guild.idOf(0);
    guild.hold(0, '5');
    await guild.resync();
    const scopes = [`roles:${guild.id}`, `holdings:${guild.id}`, 'roles:DIS#COMM#404'];
    const report = await readLivingClaims(t.services, userId, scopes);
    assert.deepEqual(report, { roles: { [guild.id]: ['gold'] }, holdings: { [guild.id]: ['TPC#1'] } });
    assert.deepEqual(await readLivingClaims(t.services, guild.idOf(1), [`holdings:${guild.id}`]), {
      holdings: { [guild.id]: [] },
    });
    await rememberAccount(t.services, { ...person, userId });
    const token = await newToken(await newGrant(), { accountId: userId, extra: report });
    const counts = async () => (await findProviderToken(t.services, 'AccessToken', token)) !== undefined;
    assert.equal(await counts(), true);

    t.advanceSeconds(1);
    t.holdings.fail(chain, 'The node is down.');
    assert.equal(await counts(), true);
    t.holdings.fail(chain, undefined);

    t.advanceSeconds(1);
    guild.hold(0, '0');
    assert.equal(await counts(), false);
    await assert.rejects(
      verifyAccessToken(t.services, token, findClient, {
        stillHolds: (id, relied) => stillHold(t.services, id, relied),
      }),
      { code: 'INVALID_CREDENTIAL' },
    );
    // A scheme that cannot check the claims does not accept the token either.
    await assert.rejects(verifyAccessToken(t.services, token, findClient), { code: 'INVALID_CREDENTIAL' });
    assert.equal(await stillHold(t.services, userId, { roles: report.roles ?? {} }), true);
    await guild.resync();
    assert.equal(await stillHold(t.services, userId, { roles: report.roles ?? {} }), false);
  });

  test('linked wallets are included with the right scope, and a wallet account is named by its address', async () => {
    const guild = await setUpGuild(t, { members: 1 });
    const linked = { address: guild.walletOf(0), chain: 'evm:1' };
    const read = (userId: string, ...scopes: string[]) => readWalletClaims(t.services, userId, scopes);
    assert.deepEqual(await read(guild.idOf(0), 'openid', 'user:wallet:read'), {
      address: { formatted: linked.address },
      chain: 'evm:1',
      wallets: [linked],
    });
    assert.deepEqual(await read(guild.idOf(0), 'openid', 'profile', 'address'), {});
    assert.deepEqual(await read('DIS#USER#nobody', 'user:wallet:read'), { wallets: [] });
    const key = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
    const claims = { address: { formatted: key }, chain: 'evm:1' };
    assert.deepEqual(await read(`ETH#USER#${key}`, 'openid'), {});
    assert.deepEqual(await read(`ETH#USER#${key}`, 'address'), claims);
    assert.deepEqual(await read(`ETH#USER#137:${key}`, 'address'), { ...claims, chain: 'evm:137' });
    assert.deepEqual(await read(`ETH#USER#${key}`, 'user:wallet:read'), {
      ...claims,
      wallets: [{ address: key, chain: 'evm:1' }],
    });
  });

  test('users can only grant what is theirs to grant', async () => {
    const guild = await setUpGuild(t, { members: 1 });
    await guild.resync();
    const requested = ['openid', 'user:read', 'user:wallet:read', `roles:${guild.id}`, 'roles:DIS#COMM#404'];
    assert.deepEqual(await sortScopes(t.services, guild.idOf(0), requested, undefined), {
      open: ['openid', 'user:read', 'user:wallet:read', `roles:${guild.id}`],
      closed: ['roles:DIS#COMM#404'],
    });
    assert.deepEqual((await sortScopes(t.services, person.userId, requested, ['user:read'])).open, [
      'openid',
      'user:read',
    ]);
  });

  test('an erased user is unknown, and nothing is left of their logins', async () => {
    const userId = 'DIS#USER#777';
    await rememberAccount(t.services, { ...person, userId });
    await putArtifact(t.services, 'session', 'erased-session', { accountId: userId, uid: 'erased' }, 60);
    const gone = { userId, pseudonym: 'ERASED#USER#1', wallets: [], clientIds: [], coHolders: [] };
    await t.services.db.transaction('system', (tx) => oauth2Erasure.forget(t.as(operator), tx, gone));
    assert.equal(await findArtifact(t.services, 'session', 'erased-session'), undefined);
    await assert.rejects(newToken(await newGrant(), { accountId: userId }), /is unknown/);
  });
});

describe('what applications may request', () => {
  test('each scope is described to the user in their language', () => {
    const asked = [...openIdScopes, ...Object.keys(scopes).filter((scope) => !scope.startsWith('$'))];
    const inEnglish = asked.map((scope) => describeScope(scope, messagesIn('en')));
    assert.equal(new Set(inEnglish).size, asked.length);
    for (const locale of locales.filter((one) => one !== 'en')) {
      const described = asked.map((scope) => describeScope(scope, messagesIn(locale)));
      assert.deepEqual(
        described.filter((words) => inEnglish.includes(words)),
        [],
        locale,
      );
    }
  });

  const client = {
    ...{
      id: 'c',
      name: 'c',
      url: undefined,
      icon: undefined,
      ownerId: 'o',
      organizationId: undefined,
      secretHash: undefined,
    },
    ...{ isPublic: true, redirectUris: [], grantTypes: [], allowedOrigins: [], settings: {} },
    allowedScopes: ['user:read', 'discord:guild'],
    disallowedScopes: ['discord:guild'],
  };

  test('scopes are parsed with commas, spaces and legacy names', () => {
    assert.deepEqual(canonicalScopes('openid,user:read  user:read discord-integration:read-guild-role'), [
      'openid',
      'user:read',
      'discord:guild',
    ]);
  });

  test('an application may request the scopes the operator approved and those OpenID Connect gives every client', () => {
    assert.equal(findForbiddenScope(client, ['openid', 'profile', 'user:read']), undefined);
    for (const scope of ['discord:guild', 'community:write', '$all', '$internal', '$public', 'constructor', ''])
      assert.equal(findForbiddenScope(client, ['openid', scope]), scope);
    assert.equal(findForbiddenScope({ ...client, disallowedScopes: ['profile'] }, ['openid', 'profile']), 'profile');
    const living = 'roles:DIS#COMM#1';
    assert.equal(findForbiddenScope(client, ['openid', living]), living);
    const trusted = { ...client, allowedScopes: ['$all'] };
    assert.equal(findForbiddenScope(trusted, ['openid', living]), undefined);
    assert.equal(findForbiddenScope(trusted, [living]), living);
    assert.equal(findForbiddenScope(trusted, ['$all']), '$all');
  });

  test('a loopback redirect URI over http matches every port, host name and sub-path of it', () => {
    const redirectUris = ['http://127.0.0.1:3000/cb?a=b', 'http://localhost/app/', 'https://app.example/cb'];
    for (const isPublic of [true, false]) {
      const isAccepted = (uri: string) => isRegistered({ redirectUris, isPublic }, uri);
      for (const good of ['http://[::1]:4000/cb?a=b', 'http://localhost/cb/x?a=b', 'http://127.0.0.1:9/app/'])
        assert.equal(isAccepted(good), true, good);
      for (const bad of [
        'https://app.example:444/cb',
        'https://app.example/cb/x',
        'http://127.0.0.1:4000/cb',
        'https://127.0.0.1:4000/cb?a=b',
        'http://127.0.0.1:0/cb?a=b',
        'http://127.0.0.1:4000\\/cb?a=b',
        'http://localhost/app',
        'http://localhost/app/./x',
        'http://localhost/app/x/..',
        'http://localhost/app/\u0430',
      ])
        assert.equal(isAccepted(bad), false, bad);
    }
  });

  test('a loopback redirect URI over https matches itself alone', () => {
    const redirectUris = ['https://localhost:8443/cb', 'https://app.example/cb'];
    for (const isPublic of [true, false])
      for (const isStrict of [true, false]) {
        const isAccepted = (uri: string) => isRegistered({ redirectUris, isPublic }, uri, isStrict);
        assert.equal(isAccepted('https://localhost:8443/cb'), true);
        for (const bad of [
          'https://localhost:8444/cb',
          'https://localhost/cb',
          'https://127.0.0.1:8443/cb',
          'https://localhost:8443/cb/x',
          'http://localhost:8443/cb',
        ])
          assert.equal(isAccepted(bad), false, bad);
      }
  });

  test('where the operator is strict, only the port may differ, and only for public applications', () => {
    const redirectUris = ['http://127.0.0.1:3000/cb?a=b'];
    for (const isPublic of [true, false]) {
      const isAccepted = (uri: string) => isRegistered({ redirectUris, isPublic }, uri, true);
      assert.equal(isAccepted('http://127.0.0.1:3000/cb?a=b'), true);
      assert.equal(isAccepted('http://127.0.0.1:4000/cb?a=b'), isPublic);
      for (const bad of ['http://localhost:3000/cb?a=b', 'http://127.0.0.1:4000/cb', 'http://127.0.0.1:4000/cb/x?a=b'])
        assert.equal(isAccepted(bad), false, bad);
    }
  });
});
