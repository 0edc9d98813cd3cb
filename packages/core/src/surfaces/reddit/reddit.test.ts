import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from '@latchkey/db';
import type { Actor } from '@latchkey/kernel';
import { verifyAeToken } from '../../identity/credentials/index.ts';
import { getState } from '../../identity/states/operations.ts';
import { PlatformFailed, type RedditApi, type RedditIdentity } from '../../ports/index.ts';
import { ensureSigningKeys } from '../../services/signing-keys/index.ts';
import { mallory, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { addCommunityConfig } from './operations.ts';
import {
  createWalletConnectionSession,
  findRefreshToken,
  getAdminCommunities,
  isCommunityConfigSet,
  unlinkToken,
} from './reads.ts';

const moderator: Actor = {
  kind: 'user',
  userId: 'RED#USER#Mod',
  platform: 'reddit',
  name: 'Mod',
  scopes: ['$all'],
  credential: 'wallet-session',
};
const refusedWith = (code: string) => (error: unknown) => (error as { code?: string }).code === code;

describe('linking a subreddit', () => {
  let t: TestPlatform;
  const known = new Map<string, RedditIdentity>();
  let isDown = false;
  const api: RedditApi = {
    clientId: 'reddit-app',
    consent: {
      start: () => assert.fail('no consent is started'),
      finish: () => assert.fail('no consent is finished'),
      revoke: () => assert.fail('pasted tokens are not revoked'),
    },
    identify: async (token) => {
      if (isDown) throw new PlatformFailed('unavailable', 'Reddit is not responding.', 7);
      return known.get(token);
    },
    administers: async (_token, { subreddit }) => subreddit !== 'tended',
    startModmail: () => assert.fail('no message is sent'),
    continueModmail: () => assert.fail('no message is sent'),
    readUnread: () => assert.fail('no message is read'),
    reply: () => assert.fail('no message is sent'),
    markRead: () => assert.fail('no message is read'),
  };
  const as = (actor: Actor) => ({ ...t.as(actor), reddit: api });
  const link = (actor: Actor, communityName: string, botToken: string) =>
    addCommunityConfig(as(actor), { body: { communityName, botToken } });

  before(async () => {
    t = await testPlatform();
    await ensureSigningKeys(t.services);
    known.set('mods-token', { userName: 'mod', moderates: ['gated', 'second'].map((name) => ({ id: 't5_1', name })) });
  });
  after(() => t.close());

  it('adds the subreddit for its moderator and stores the token encrypted', async () => {
    assert.deepEqual(await link(moderator, 'GATED', 'mods-token'), { clientId: 'reddit-app', communityName: 'gated' });
    assert.equal(await findRefreshToken(t.services, 'gated'), 'mods-token');
    const { rows } = await sql<{ all: string }>`select reddit_tokens::text as all from reddit_tokens`.execute(
      t.services.db.system,
    );
    assert.ok(rows.length === 1 && !rows[0]?.all.includes('mods-token'));
    assert.deepEqual(
      (await getAdminCommunities(as(moderator))).map(({ id, isLinked }) => ({ id, isLinked })),
      [{ id: 'RED#COMM#gated', isLinked: true }],
    );
  });

  it('is refused for a moderator who may neither change settings nor manage users', async () => {
    known.set('tidy-token', { userName: 'mod', moderates: [{ id: 't5_9', name: 'tended' }] });
    await assert.rejects(link(moderator, 'tended', 'tidy-token'), refusedWith('ROLE_NOT_ALLOWED'));
    assert.equal(await findRefreshToken(t.services, 'tended'), undefined);
  });

  it('reports whether the token still works, and unknown while Reddit is down', async () => {
    const status = async () => (await isCommunityConfigSet(as(moderator), { communityId: 'gated' })).botTokenStatus;
    assert.equal(await status(), 'valid');
    isDown = true;
    assert.equal(await status(), 'unknown');
    isDown = false;
    const identity = known.get('mods-token');
    known.delete('mods-token');
    assert.equal(await status(), 'invalid');
    if (identity) known.set('mods-token', identity);
  });

  it('refuses a token for another subreddit, and one that Reddit does not know', async () => {
    await assert.rejects(link(moderator, 'elsewhere', 'mods-token'), refusedWith('VALIDATION_FAILED'));
    await assert.rejects(link(moderator, 'gated', 'made-up'), refusedWith('VALIDATION_FAILED'));
    await assert.rejects(
      addCommunityConfig(as(moderator), { body: { communityName: 'gated' } }),
      refusedWith('VALIDATION_FAILED'),
    );
  });

  it('refuses a leaked token: a new subreddit is added only by the account of the token', async () => {
    await assert.rejects(link(mallory, 'second', 'mods-token'), refusedWith('ROLE_NOT_ALLOWED'));
    await assert.rejects(link(mallory, 'gated', 'mods-token'), refusedWith('ROLE_NOT_ALLOWED'));
  });

  it('returns an error when Reddit does not respond or is not configured, and stores nothing', async () => {
    isDown = true;
    await assert.rejects(link(moderator, 'second', 'mods-token'), refusedWith('UNAVAILABLE'));
    isDown = false;
    const body = { communityName: 'second', botToken: 'mods-token' };
    await assert.rejects(
      addCommunityConfig({ ...as(moderator), reddit: undefined }, { body }),
      refusedWith('NOT_CONFIGURED'),
    );
    assert.equal(await findRefreshToken(t.services, 'second'), undefined);
  });

  it('deletes the token on request, once', async () => {
    await link(operator, 'second', 'mods-token');
    await unlinkToken(as(operator), { communityId: 'RED#COMM#second' });
    assert.equal(await findRefreshToken(t.services, 'second'), undefined);
    await assert.rejects(unlinkToken(as(operator), { communityId: 'second' }), refusedWith('ENTITY_NOT_FOUND'));
    assert.equal((await isCommunityConfigSet(as(operator), { communityId: 'second' })).botTokenStatus, 'missing');
  });

  it('creates a session whose token can only link wallets for that user', async () => {
    const { slug } = (await createWalletConnectionSession(as(moderator))) as { slug: string };
    const state = (await getState(t.as({ kind: 'anonymous' }), { slug })) as { token: string };
    const actor = await verifyAeToken(t.services, state.token);
    assert.equal(actor.kind === 'user' && actor.userId, 'RED#USER#Mod');
    assert.deepEqual(actor.kind === 'user' && actor.scopes, ['user:wallet:read', 'user:wallet:write']);
  });
});
