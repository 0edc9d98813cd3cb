import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type RedditEmulator, startRedditEmulator } from '@latchkey/emulators/reddit';
import { type Actor, AppError, type ErrorCode } from '@latchkey/kernel';
import { createRedditApi } from '@latchkey/platforms/reddit';
import { removeCommunity } from '../../communities/community/index.ts';
import { contextFor } from '../../shared/context.ts';
import { patienceMs, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { findRefreshToken, redditModule } from '../reddit/index.ts';
import { addCommunityConfig } from '../reddit/operations.ts';
import { unlinkToken } from '../reddit/reads.ts';
import { redditConsentErasure } from './index.ts';
import { revokeUnused } from './jobs.ts';
import {
  beginRedditConsent,
  consentPage,
  finishRedditConsent,
  getRedditConsent,
  linkConsentedSubreddit,
} from './operations.ts';

const onReddit = (name: string): Actor => ({
  kind: 'user',
  userId: `RED#USER#${name}`,
  platform: 'reddit',
  name,
  scopes: ['$all'],
  credential: 'wallet-session',
});
const forgotten = (name: string) => ({
  ...{ userId: `RED#USER#${name}`, pseudonym: 'alice' },
  ...{ wallets: [], coHolders: [], clientIds: [] },
});
const [mod, tidy, stranger] = [onReddit('mod'), onReddit('tidy'), onReddit('stranger')];
const back = 'http://latchkey.test/login/return/reddit';
const refusal = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code;

describe('the consent of a moderator on Reddit', () => {
  let t: TestPlatform;
  let emulator: RedditEmulator;
  before(async () => {
    t = await testPlatform('reddit-consent');
    emulator = await startRedditEmulator({ clock: () => t.services.clock().getTime(), redirectUris: [back] });
    const { url, clientId, clientSecret } = emulator;
    const { clock } = t.services;
    t.services.reddit = createRedditApi({
      fetch,
      ...{ apiUrl: url, authUrl: url, clientId, clientSecret, clock },
      timeoutMs: patienceMs,
    });
    for (const name of ['mod', 'tidy', 'stranger']) emulator.world.addUser(name);
  });
  after(async () => {
    await emulator.stop();
    await t.close();
  });

  const as = (actor: Actor) => contextFor(t.services, actor);
  const finish = (actor: Actor, body: { state: string; code: string }) => finishRedditConsent(as(actor), { body });
  const link = (actor: Actor, name: string) => linkConsentedSubreddit(as(actor), { body: { name } });

  /** Starts as a user, decides on Reddit's page as an account there, and follows the redirect back. */
  async function allow(actor: Actor, user: string, decision = 'allow'): Promise<{ state: string; code: string }> {
    const { url } = await beginRedditConsent(as(actor));
    const body = new URLSearchParams({ user, decision });
    const answer = await fetch(url, { method: 'POST', body, redirect: 'manual' });
    const returned = new URL(answer.headers.get('location') ?? '');
    assert.equal(`${returned.origin}${returned.pathname}`, back);
    const text = (name: string) => returned.searchParams.get(name) ?? undefined;
    const page = consentPage('reddit', { state: text('state') ?? '', code: text('code') });
    const { searchParams, pathname } = new URL(page ?? '', 'http://latchkey.test');
    assert.equal(pathname, '/console/communities/new');
    return { state: searchParams.get('state') ?? '', code: searchParams.get('code') ?? '' };
  }

  async function stored(): Promise<{ user_id: string | null; tries: number }[]> {
    return (await t.services.db.pool.query('select user_id, tries from reddit_grants')).rows;
  }

  it('requests permanent access with minimal scopes, and returns to the one URL that Reddit knows', async () => {
    const request = new URL((await beginRedditConsent(as(mod))).url).searchParams;
    assert.equal(request.get('duration'), 'permanent');
    assert.equal(request.get('redirect_uri'), back);
    assert.equal(
      request.get('scope'),
      'identity mysubreddits read flair modflair modcontributors modmail privatemessages',
    );
    assert.equal(consentPage('reddit', { state: 'a login', code: 'c' }), undefined);
    assert.equal(consentPage('discord', { state: request.get('state') ?? '', code: 'c' }), undefined);
  });

  it('links the subreddit that its moderator chooses, encrypted, and is revoked when it is unlinked', async () => {
    emulator.world.addSubreddit('cats', ['mod']);
    const { consent } = await finish(mod, await allow(mod, 'mod'));
    assert.deepEqual([consent?.userName, consent?.subreddits], ['mod', [{ name: 'cats', isLinked: false }]]);
    assert.deepEqual((await getRedditConsent(as(mod))).consent, consent);
    assert.deepEqual(await getRedditConsent(as(stranger)), { isOffered: true });
    assert.deepEqual(await link(mod, 'CATS'), { communityId: 'RED#COMM#cats', name: 'cats' });
    const token = (await findRefreshToken(t.services, 'cats')) ?? '';
    assert.ok(emulator.tokens.granted().includes(token));
    const { rows } = await t.services.db.pool.query('select reddit_tokens::text as all from reddit_tokens');
    assert.ok(rows.length === 1 && !rows[0].all.includes(token));
    await assert.rejects(link(mod, 'cats'), refusal('ENTITY_NOT_FOUND'), 'it can be used once');
    await revokeUnused(as(mod));
    assert.ok(emulator.tokens.granted().includes(token), 'a used one stays');
    await unlinkToken(as(mod), { communityId: 'cats' });
    await revokeUnused(as(mod));
    assert.ok(!emulator.tokens.granted().includes(token));
    assert.deepEqual(await stored(), []);
  });

  it('is revoked however the subreddit loses it: relinked, deleted, its moderator erased', async () => {
    const ways: Record<string, () => Promise<unknown>> = {
      anew: async () => {
        await finish(mod, await allow(mod, 'mod'));
        return link(mod, 'anew');
      },
      pasted: () =>
        addCommunityConfig(as(mod), {
          body: { communityName: 'pasted', botToken: emulator.tokens.grant('mod', ['*']) },
        }),
      deleted: () => removeCommunity(as(mod), { id: 'RED#COMM#deleted' }),
      erased: () =>
        t.services.db.transaction('system', async (tx) => {
          for (const { forget } of redditModule.erasures) await forget(as(mod), tx, forgotten('mod'));
        }),
    };
    for (const [name, lose] of Object.entries(ways)) {
      emulator.world.addSubreddit(name, ['mod']);
      await finish(mod, await allow(mod, 'mod'));
      await link(mod, name);
      const token = (await findRefreshToken(t.services, name)) ?? '';
      await lose();
      await revokeUnused(as(mod));
      assert.ok(token !== '' && !emulator.tokens.granted().includes(token), name);
    }
    const pasted = emulator.tokens.grant('mod', ['*']);
    await addCommunityConfig(as(mod), { body: { communityName: 'pasted', botToken: pasted } });
    await unlinkToken(as(mod), { communityId: 'pasted' });
    await revokeUnused(as(mod));
    assert.ok(emulator.tokens.granted().includes(pasted), 'a pasted token is its moderator’s own');
  });

  it('is revoked when it is replaced, not used in time, or its grantor is erased', async () => {
    await finish(tidy, await allow(tidy, 'tidy'));
    const [first = ''] = emulator.tokens.granted().slice(-1);
    await finish(tidy, await allow(tidy, 'tidy'));
    const [second = ''] = emulator.tokens.granted().slice(-1);
    await revokeUnused(as(tidy));
    assert.deepEqual(
      [first, second].map((token) => emulator.tokens.granted().includes(token)),
      [false, true],
    );
    t.advanceSeconds(3600);
    await assert.rejects(link(tidy, 'cats'), refusal('ENTITY_NOT_FOUND'));
    await revokeUnused(as(tidy));
    assert.ok(!emulator.tokens.granted().includes(second));
    await finish(tidy, await allow(tidy, 'tidy'));
    await t.services.db.transaction('system', (tx) => redditConsentErasure.forget(as(tidy), tx, forgotten('tidy')));
    assert.deepEqual(await stored(), [{ user_id: null, tries: 0 }]);
    await revokeUnused(as(tidy));
    assert.deepEqual(await stored(), []);
  });

  it('refuses states of others and used, made-up or denied codes, and stores nothing', async () => {
    const begun = await allow(mod, 'mod');
    await assert.rejects(finish(stranger, begun), refusal('ENTITY_NOT_FOUND'));
    await assert.rejects(finish(mod, { ...begun, code: 'made-up' }), refusal('VALIDATION_FAILED'));
    await assert.rejects(finish(mod, begun), refusal('ENTITY_NOT_FOUND'), 'the attempt is used up');
    const again = await allow(mod, 'mod');
    await finish(mod, again);
    const other = await allow(mod, 'mod');
    await assert.rejects(finish(mod, { ...other, code: again.code }), refusal('VALIDATION_FAILED'));
    assert.equal((await allow(mod, 'mod', 'deny')).code, '');
    const late = await allow(stranger, 'stranger');
    t.advanceSeconds(3600);
    await assert.rejects(finish(stranger, late), refusal('ENTITY_NOT_FOUND'));
    assert.ok((await stored()).every(({ user_id }) => user_id !== 'RED#USER#stranger'));
  });

  it('refuses subreddits that the account does not moderate or manage, and consents for another account', async () => {
    const tended = emulator.world.addSubreddit('tended', ['mod', 'tidy']);
    tended.moderatorPermissions.set('tidy', ['flair']);
    await finish(tidy, await allow(tidy, 'tidy'));
    await assert.rejects(link(tidy, 'cats'), refusal('VALIDATION_FAILED'));
    await assert.rejects(link(tidy, 'tended'), refusal('ROLE_NOT_ALLOWED'));
    // A user who gets the moderator to approve it does not get the moderator's subreddit.
    await finish(stranger, await allow(stranger, 'mod'));
    await assert.rejects(link(stranger, 'tended'), refusal('ROLE_NOT_ALLOWED'));
    assert.equal(await findRefreshToken(t.services, 'tended'), undefined);
    assert.equal((await getRedditConsent(as(tidy))).consent?.userName, 'tidy', 'a refusal does not use it up');
  });

  it('survives an outage of Reddit at every step', async () => {
    emulator.world.addSubreddit('patient', ['mod']);
    const during = async (on: string, run: () => Promise<unknown>) => {
      const heal = emulator.misbehave({ kind: 'error', on, status: 503 });
      await run();
      heal();
    };
    const begun = await allow(mod, 'mod');
    await during('access_token', () => assert.rejects(finish(mod, begun), refusal('UNAVAILABLE')));
    const next = await allow(mod, 'mod');
    await during('/api/v1/me', () => assert.rejects(finish(mod, next), refusal('UNAVAILABLE')));
    assert.equal((await getRedditConsent(as(mod))).consent?.userName, 'mod', 'it was stored before Reddit was called');
    await during('/subreddits/mine', () => assert.rejects(link(mod, 'patient'), refusal('UNAVAILABLE')));
    await link(mod, 'patient');
    const token = (await findRefreshToken(t.services, 'patient')) ?? '';
    await unlinkToken(as(mod), { communityId: 'patient' });
    await during('revoke_token', () => revokeUnused(as(mod)));
    assert.ok(emulator.tokens.granted().includes(token));
    await revokeUnused(as(mod));
    assert.ok(emulator.tokens.granted().includes(token), 'it is not retried immediately');
    t.advanceSeconds(3600);
    await revokeUnused(as(mod));
    assert.ok(!emulator.tokens.granted().includes(token));
    assert.ok(!t.log.lines.join().includes(token));
    t.services.reddit = undefined;
    await assert.rejects(beginRedditConsent(as(mod)), refusal('NOT_CONFIGURED'));
    assert.deepEqual(await getRedditConsent(as(mod)), { isOffered: false });
  });
});
