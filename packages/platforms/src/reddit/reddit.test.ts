import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { PlatformFailed, PlatformRole, RoleHost } from '@latchkey/core/ports';
import { type RedditEmulator, startRedditEmulator } from '@latchkey/emulators/reddit';
import { patientMs } from '@latchkey/emulators/testing';
import { createRedditApi } from './api.ts';
import { createRedditHost } from './host.ts';

describe('a subreddit with roles', () => {
  let reddit: RedditEmulator;
  let host: RoleHost;
  let roles: readonly PlatformRole[];
  let now = Date.parse('2026-01-01T00:00:00Z');
  const clock = () => new Date(now);
  const scopes = ['identity', 'mysubreddits', 'read', 'flair', 'modflair', 'modcontributors'];
  const tokens = new Map<string, string>();
  const options = () => ({
    apiUrl: reddit.url,
    authUrl: reddit.url,
    clientId: reddit.clientId,
    clientSecret: reddit.clientSecret,
    clock,
    timeoutMs: patientMs,
    fetch,
  });
  const roleNamed = (name: string) => roles.find((role) => role.name === name)?.id ?? '';
  const open = (change: Partial<ReturnType<typeof options>> = {}) =>
    createRedditHost({
      fetchMedia: fetch,
      ...options(),
      ...change,
      refreshTokenOf: async (subreddit) => tokens.get(subreddit),
    });
  const write = (userId: string, add: readonly string[], remove: readonly string[] = [], through = host) =>
    through.writeMember({ communityId: 'gated', userId, add, remove, held: [], reason: 'test' });

  before(async () => {
    reddit = await startRedditEmulator({ clock: () => now });
    reddit.world.addUser('mod');
    reddit.world.addSubreddit('gated', ['mod'], ['Holder', 'Whale']);
    reddit.world.addSubreddit('lost', []);
    tokens.set('gated', reddit.tokens.grant('mod', scopes));
    tokens.set('lost', reddit.tokens.grant('mod', scopes));
    host = open();
    roles = await host.readRoles('gated');
  });
  beforeEach(() => {
    now += 601_000;
  });
  after(() => reddit.stop());

  it('shows flairs and approval as roles', () => {
    assert.deepEqual(
      roles.map(({ name }) => name),
      ['Holder', 'Whale', 'Approved user'],
    );
  });

  it('shows the icon of the subreddit, and reads nothing from hosts that are not Reddit’s', async () => {
    const subreddit = reddit.world.subreddit('gated');
    assert.ok(subreddit);
    const read = (version?: string) => host.readPicture?.('gated', version);
    assert.deepEqual(await read(), { kind: 'none' });
    const url = `${reddit.url}/icons/gated.png?width=256&s=1`;
    subreddit.icon = { url, bytes: Buffer.from('an icon') };
    const shown = await read();
    assert.ok(shown?.kind === 'picture' && shown.version === url);
    assert.equal(Buffer.from(shown.bytes).toString(), 'an icon');
    assert.deepEqual(await read(url), { kind: 'same' });
    const readWith = (elsewhere: string) => {
      subreddit.icon = { url: elsewhere };
      return read();
    };
    for (const elsewhere of [
      'http://169.254.169.254/icons/x',
      'https://redd.it.example/x.png',
      'javascript:alert(1)',
      'x',
    ])
      assert.deepEqual(await readWith(elsewhere), { kind: 'none' }, elsewhere);
    delete subreddit.icon;
  });

  it('assigns flair and approval with one call each, and reads both back', async () => {
    reddit.world.addUser('ann');
    const outcome = await write('ann', [roleNamed('Whale'), 'approved']);
    assert.deepEqual(outcome, { kind: 'written', roleIds: [roleNamed('Whale'), 'approved'], calls: 2 });
    assert.deepEqual((await host.readMember('gated', 'ann'))?.roleIds, [roleNamed('Whale'), 'approved']);
  });

  it('replaces one flair with another, and removes only the requested roles', async () => {
    reddit.world.addUser('bob');
    await write('bob', [roleNamed('Holder'), 'approved']);
    await write('bob', [roleNamed('Whale')], [roleNamed('Holder')]);
    assert.deepEqual((await host.readMember('gated', 'BOB'))?.roleIds, [roleNamed('Whale'), 'approved']);
    assert.deepEqual(await write('bob', [], [roleNamed('Whale')]), {
      kind: 'written',
      roleIds: ['approved'],
      calls: 1,
    });
  });

  it('makes no call that changes nothing', async () => {
    reddit.world.addUser('cat');
    await write('cat', ['approved']);
    assert.deepEqual(await write('cat', ['approved'], [roleNamed('Holder')]), {
      kind: 'written',
      roleIds: ['approved'],
      calls: 0,
    });
  });

  it('picks the topmost flair, since Reddit shows one', () => {
    const deserved = [roleNamed('Whale'), 'approved', roleNamed('Holder')];
    assert.deepEqual(host.settle?.(roles, deserved), ['approved', roleNamed('Holder')]);
  });

  it('lists every user who shows a flair or is approved, over several pages', async () => {
    const holder = roleNamed('Holder').slice('flair:'.length);
    for (let n = 0; n < 1500; n++) {
      reddit.world.addUser(`user${n}`);
      reddit.world.subreddit('gated')?.flairOf.set(`user${n}`, holder);
    }
    reddit.world.addUser('dan');
    reddit.world.subreddit('gated')?.approved.add('dan');
    const seen = new Map<string, readonly string[]>();
    for await (const page of host.readMembers('gated'))
      for (const { userId, roleIds } of page) seen.set(userId, roleIds);
    assert.equal([...seen.keys()].filter((name) => name.startsWith('user')).length, 1500);
    assert.deepEqual(seen.get('dan'), ['approved']);
  });

  it('reports a failed write when Reddit acknowledged and lost it', async () => {
    reddit.world.addUser('eve');
    const end = reddit.misbehave({ kind: 'lost-write' });
    assert.equal((await write('eve', ['approved'])).kind, 'failed');
    end();
    assert.equal((await write('eve', ['approved'])).kind, 'written');
  });

  it('reports gone for a user unknown to Reddit', async () => {
    assert.deepEqual(await write('nobody-there', ['approved']), { kind: 'gone' });
  });

  it('reports forbidden when the account moderates nothing, or no account was linked', async () => {
    const change = { userId: 'ann', add: ['approved'], remove: [], held: [], reason: 'test' };
    assert.equal((await host.writeMember({ ...change, communityId: 'lost' })).kind, 'forbidden');
    assert.equal((await host.writeMember({ ...change, communityId: 'never' })).kind, 'forbidden');
    const failure = (error: PlatformFailed) => error.kind === 'not-configured';
    await assert.rejects(host.readMember('never', 'ann'), failure);
  });

  it('stays below Reddit’s rate limit', async () => {
    reddit.world.addUser('fay');
    let outcome = await write('fay', ['approved']);
    for (let n = 0; outcome.kind !== 'failed' && n < 400; n++) outcome = await write('fay', [], []);
    assert.equal(outcome.kind === 'failed' && (outcome.retryAfterSeconds ?? 0) > 0, true);
    assert.equal(reddit.counts.get('429') ?? 0, 0);
    now += 601_000;
    assert.equal((await write('fay', [], ['approved'])).kind, 'written');
  });

  it('reports failed, not revoked, while Reddit is down or hangs', async () => {
    const end = reddit.misbehave({ kind: 'outage' });
    assert.equal((await write('ann', ['approved'])).kind, 'failed');
    end();
    const hasty = open({ timeoutMs: 400 });
    const stop = reddit.misbehave({ kind: 'hang', on: '/r/' });
    assert.equal((await write('ann', ['approved'], [], hasty)).kind, 'failed');
    stop();
    await assert.rejects(
      open({ apiUrl: 'http://127.0.0.1:1' }).readMember('gated', 'ann'),
      (error: PlatformFailed) => error.kind === 'unavailable' && !error.message.includes(tokens.get('gated') ?? '?'),
    );
  });

  it('treats moderators who manage settings or users as admins, and the most senior one as the owner', async () => {
    for (const name of ['Top', 'keeper', 'tidier', 'reader']) reddit.world.addUser(name);
    const { moderatorPermissions } = reddit.world.addSubreddit('ruled', ['tidier', 'Top', 'keeper']);
    moderatorPermissions.set('tidier', ['flair', 'posts', 'mail']).set('keeper', ['access']);
    tokens.set('ruled', reddit.tokens.grant('reader', scopes));
    const names = ['top', 'keeper', 'tidier', 'reader'];
    const administers = (name: string) => host.administers?.('ruled', name);
    assert.deepEqual(await Promise.all(names.map(administers)), [true, true, false, false]);
    assert.equal(await host.findOwner?.('ruled'), 'Top');
    const token = tokens.get('ruled') ?? '';
    const api = createRedditApi(options());
    assert.equal(await api.administers(token, { subreddit: 'ruled', userName: 'keeper' }), true);
    await assert.rejects(
      async () => host.administers?.('unlinked', 'top'),
      (error: PlatformFailed) => error.kind === 'not-configured',
    );
  });

  it('returns the account of a token, and nothing for a revoked one', async () => {
    const api = createRedditApi(options());
    const token = reddit.tokens.grant('mod', scopes);
    assert.deepEqual(await api.identify(token), { userName: 'mod', moderates: [{ id: 't5_0000', name: 'gated' }] });
    reddit.tokens.revoke(token);
    assert.equal(await createRedditApi(options()).identify(token), undefined);
  });

  it('writes modmail to the moderators and reads and answers private messages, if the token allows it', async () => {
    const api = createRedditApi(options());
    const token = reddit.tokens.grant('mod', [...scopes, 'modmail', 'privatemessages']);
    const conversationId = await api.startModmail(token, { subreddit: 'gated', subject: 'Plan', text: 'approve p1' });
    await api.continueModmail(token, { conversationId, text: 'Approved by mod.' });
    assert.deepEqual(reddit.world.conversations.get(conversationId)?.messages, [
      { author: 'mod', body: 'approve p1' },
      { author: 'mod', body: 'Approved by mod.' },
    ]);
    reddit.world.sendMessage('ann', 'mod', 'latchkey', 'why');
    reddit.world.sendMessage('ann', 'mod', 'Hello', 'privately');
    const unread = await api.readUnread(token);
    assert.deepEqual(
      unread.map(({ author, subject, text }) => [author, subject, text]),
      [
        ['ann', 'latchkey', 'why'],
        ['ann', 'Hello', 'privately'],
      ],
    );
    await api.reply(token, { messageId: unread[0]?.id ?? '', text: 'Because.' });
    await api.markRead(token, [unread[0]?.id ?? '']);
    assert.deepEqual(
      (await api.readUnread(token)).map(({ subject }) => subject),
      ['Hello'],
    );
    assert.equal(reddit.world.messages.at(-1)?.body, 'Because.');
    const without = reddit.tokens.grant('mod', scopes);
    const isForbidden = (error: PlatformFailed) => error.kind === 'forbidden';
    await assert.rejects(api.startModmail(without, { subreddit: 'gated', subject: 'x', text: 'y' }), isForbidden);
    await assert.rejects(api.readUnread(without), isForbidden);
  });

  it('keeps no permission with fewer scopes than requested, and revokes what it granted', async () => {
    const { consent } = createRedditApi(options());
    const finish = (given: readonly string[], isPermanent = true) => {
      const code = reddit.tokens.authorize('mod', given, { redirectUri: 'https://club.example/back', isPermanent });
      return consent.finish({ code, redirectUri: 'https://club.example/back', codeVerifier: '' });
    };
    const all = [...scopes, 'modmail', 'privatemessages'];
    const before = reddit.tokens.granted();
    const isForbidden = (error: PlatformFailed) => error.kind === 'forbidden';
    await assert.rejects(finish(scopes), isForbidden);
    await assert.rejects(finish(all, false), isForbidden);
    assert.deepEqual(reddit.tokens.granted(), before);
    const token = await finish(all);
    assert.ok(reddit.tokens.granted().includes(token));
    await consent.revoke(token);
    assert.deepEqual(reddit.tokens.granted(), before);
    await consent.revoke(token);
  });
});
