import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Actor } from '@latchkey/kernel';
import { createDevelopmentApp } from '../../identity/client-apps/index.ts';
import { issueAccessToken, verifyAccessToken, verifyAeToken } from '../../identity/credentials/index.ts';
import { ensureSigningKeys } from '../../services/signing-keys/index.ts';
import { alice, mallory, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { putArtifact } from '../oauth2/index.ts';
import { findRemembered, takeConsent } from './consent.ts';
import {
  createUserAuthorization,
  deleteUserAuthorization,
  getUserAuthorizationByClientId,
  getUserAuthorizations,
  issueConsentToken,
} from './operations.ts';

const aliceId = 'DIS#USER#100';
const noSuch = { code: 'ENTITY_NOT_FOUND' };

describe('user authorizations', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('user-authorizations');
    await ensureSigningKeys(t.services);
  });
  after(() => t.close());

  async function newClient(): Promise<string> {
    const options = { userId: 'DIS#USER#9', name: 'App', scopes: ['user:read'] };
    return (await createDevelopmentApp(t.as(operator), options)).id ?? '';
  }

  /** Creates an application's request, as the provider would. */
  async function ask(
    clientId: string,
    { userId, scope = 'openid user:read' }: { userId?: string; scope?: string } = {},
  ) {
    const slug = t.services.random.id();
    const exp = Math.floor(t.services.clock().getTime() / 1000) + 600;
    const params = { client_id: clientId, redirect_uri: 'https://app.example/cb', scope };
    const session = userId === undefined ? undefined : { accountId: userId };
    await putArtifact(t.services, 'interaction', slug, { exp, params, session, prompt: { name: 'consent' } }, 600);
    return slug;
  }

  const allow = (actor: Actor, slug: string, scopes: string[], rememberDecisions?: boolean) =>
    createUserAuthorization(t.as(actor), {
      slug,
      body: { scopes, ...(rememberDecisions !== undefined && { rememberDecisions }) },
    });

  test('a grant counts once for its request, and is remembered if the user chooses so', async () => {
    const clientId = await newClient();
    const record = await allow(alice, await ask(clientId), ['openid']);
    assert.deepEqual([record.pk, record.clientApplicationId, record.scopes], [aliceId, clientId, ['openid']]);
    assert.deepEqual(await findRemembered(t.services, aliceId, clientId), []);
    const slug = await ask(clientId);
    await allow(alice, slug, ['openid', 'user:read'], true);
    assert.deepEqual(await takeConsent(t.services, slug, aliceId), ['openid', 'user:read']);
    assert.equal(await takeConsent(t.services, slug, aliceId), undefined);
    assert.deepEqual(await findRemembered(t.services, aliceId, clientId), ['openid', 'user:read']);
    // A one-time decision neither adds to nor removes from what is remembered.
    await allow(alice, await ask(clientId, { scope: 'openid profile' }), ['profile']);
    assert.deepEqual(await findRemembered(t.services, aliceId, clientId), ['openid', 'user:read']);
    await allow(alice, await ask(clientId, { scope: 'openid profile' }), ['profile'], true);
    assert.deepEqual(await findRemembered(t.services, aliceId, clientId), ['openid', 'profile', 'user:read']);
  });

  test('another user’s request, a completed request and scopes that were not requested are refused', async () => {
    const clientId = await newClient();
    const slug = await ask(clientId, { userId: aliceId });
    await assert.rejects(allow(mallory, slug, ['openid']), noSuch);
    await assert.rejects(allow(alice, 'unknown', ['openid']), noSuch);
    await assert.rejects(allow(alice, slug, ['user:wallet:write']), { code: 'VALIDATION_FAILED' });
    t.advanceSeconds(601);
    await assert.rejects(allow(alice, slug, ['openid']), noSuch);
    await assert.rejects(getUserAuthorizationByClientId(t.as(alice), { clientId }), noSuch);
  });

  test('an application that acts for a user cannot grant itself more', async () => {
    const clientId = await newClient();
    const client = { id: clientId, name: 'App', allowedScopes: ['user:read'], disallowedScopes: [] };
    const person = {
      kind: 'user' as const,
      userId: aliceId,
      platform: 'discord',
      credential: 'wallet-session' as const,
    };
    for (const actor of [
      { ...person, scopes: ['user:read'] },
      { ...person, scopes: ['user:read'], client },
      { ...person, scopes: ['$all'], client },
    ])
      await assert.rejects(allow(actor, await ask(clientId), ['openid']), { code: 'SCOPE_NOT_ALLOWED' });
    const internal = { ...client, allowedScopes: ['$internal'] };
    assert.equal((await allow({ ...person, scopes: ['$all'], client: internal }, await ask(clientId), [])).pk, aliceId);
  });

  test('a token of a consent page decides about its own request and no other', async () => {
    const clientId = await newClient();
    const slug = await ask(clientId, { userId: aliceId });
    const person = { userId: aliceId, platform: 'discord', name: 'alice' };
    const actor = await verifyAeToken(t.services, await issueConsentToken(t.services, slug, person));
    assert.equal((await allow(actor, slug, ['openid'])).pk, aliceId);
    await assert.rejects(allow(actor, await ask(clientId, { userId: aliceId }), ['openid']), noSuch);
  });

  test('revoking an authorization ends the tokens of that application and user, and only the user can do it', async () => {
    const [clientId, other] = [await newClient(), await newClient()];
    for (const id of [clientId, other]) await allow(alice, await ask(id), ['openid'], true);
    const tokenOf = async (userId: string, id: string) => {
      const holder = { kind: 'user' as const, userId, platform: 'discord', clientId: id };
      const { token } = await issueAccessToken(t.as(operator), { holder, scopes: ['user:read'], ttlSeconds: 600 });
      return token;
    };
    const [ended, kept, foreign] = [
      await tokenOf(aliceId, clientId),
      await tokenOf(aliceId, other),
      await tokenOf('DIS#USER#666', clientId),
    ];
    await assert.rejects(deleteUserAuthorization(t.as(mallory), { clientId }), noSuch);
    await deleteUserAuthorization(t.as(alice), { clientId });
    const use = (token: string) =>
      verifyAccessToken(t.services, token, async (id) => ({ id, name: '', allowedScopes: [], disallowedScopes: [] }));
    await assert.rejects(use(ended), { code: 'INVALID_CREDENTIAL' });
    for (const token of [kept, foreign]) assert.equal((await use(token)).kind, 'user');
    await assert.rejects(deleteUserAuthorization(t.as(alice), { clientId }), noSuch);
    assert.equal((await getUserAuthorizationByClientId(t.as(alice), { clientId: other })).clientApplicationId, other);
    await assert.rejects(getUserAuthorizationByClientId(t.as(mallory), { clientId: other }), noSuch);
  });

  test('a user sees their own authorizations, page by page', async () => {
    const person: Actor = {
      kind: 'user',
      userId: 'DIS#USER#300',
      platform: 'discord',
      scopes: ['$all'],
      credential: 'wallet-session',
    };
    const ids = [await newClient(), await newClient(), await newClient()].toSorted();
    for (const id of ids) await allow(person, await ask(id), ['openid']);
    const first = await getUserAuthorizations(t.as(person), { limit: 2 });
    const second = await getUserAuthorizations(t.as(person), { limit: 2, paginationToken: first.paginationToken });
    const seen = [...first.items, ...second.items].map((item) => item.clientApplicationId ?? '');
    assert.deepEqual(seen.toSorted(), ids);
    assert.equal(second.paginationToken, undefined);
    assert.deepEqual((await getUserAuthorizations(t.as(mallory), {})).items, []);
  });
});
