import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type RedditEmulator, startRedditEmulator } from './index.ts';

const agent = { 'user-agent': 'test:latchkey.reddit-emulator:v1 (by /u/tester)' };

describe('the Reddit emulator, called as Reddit is', () => {
  let reddit: RedditEmulator;
  let now = Date.parse('2026-01-01T00:00:00Z');
  before(async () => {
    reddit = await startRedditEmulator({ clock: () => now, requestsPerTenMinutes: 60 });
    reddit.world.addUser('mod');
    for (const name of ['ann', 'bob', 'cat']) reddit.world.addUser(name);
    reddit.world.addSubreddit('gated', ['mod'], ['Holder', 'Whale']);
    reddit.world.addSubreddit('elsewhere', []);
  });
  after(() => reddit.stop());

  const logIn = async (fields: Record<string, string>, secret = reddit.clientSecret) => {
    const response = await fetch(`${reddit.url}/api/v1/access_token`, {
      method: 'POST',
      headers: { ...agent, authorization: `Basic ${Buffer.from(`${reddit.clientId}:${secret}`).toString('base64')}` },
      body: new URLSearchParams(fields),
    });
    return { status: response.status, body: (await response.json()) as Record<string, string> };
  };
  const call = async (token: string, path: string, fields?: Record<string, string>) => {
    const response = await fetch(`${reddit.url}${path}`, {
      method: fields === undefined ? 'GET' : 'POST',
      headers: { ...agent, authorization: `bearer ${token}` },
      ...(fields && { body: new URLSearchParams(fields) }),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Record<string, never>,
    };
  };
  const tokenOf = async (user: string, scopes = ['*']) =>
    (await logIn({ grant_type: 'refresh_token', refresh_token: reddit.tokens.grant(user, scopes) })).body
      .access_token ?? '';

  it('exchanges a code once, and its refresh token as often as wanted', async () => {
    const code = reddit.tokens.authorize('mod', ['identity']);
    const first = await logIn({ grant_type: 'authorization_code', code });
    assert.equal(first.status, 200);
    assert.deepEqual((await logIn({ grant_type: 'authorization_code', code })).body, { error: 'invalid_grant' });
    const refresh = { grant_type: 'refresh_token', refresh_token: first.body.refresh_token ?? '' };
    const again = await logIn(refresh);
    assert.equal((await call(again.body.access_token ?? '', '/api/v1/me')).body.name, 'mod');
    assert.equal((await logIn(refresh, 'wrong')).status, 401);
  });

  it('ends access tokens after a day', async () => {
    const token = await tokenOf('mod');
    assert.equal((await call(token, '/api/v1/me')).status, 200);
    now += 86_400_001;
    assert.equal((await call(token, '/api/v1/me')).status, 401);
  });

  it('lists moderators by seniority, with what each may do', async () => {
    reddit.world.addSubreddit('ruled', ['bob', 'ann']).moderatorPermissions.set('ann', ['flair']);
    const { body } = await call(await tokenOf('cat'), '/r/ruled/about/moderators');
    const { data } = body as unknown as { data: { children: { name: string; mod_permissions: string[] }[] } };
    assert.deepEqual(
      data.children.map(({ name, mod_permissions }) => [name, mod_permissions]),
      [
        ['bob', ['all']],
        ['ann', ['flair']],
      ],
    );
  });

  it('lets moderators assign one flair at a time, and approve users', async () => {
    const token = await tokenOf('mod');
    const { body: templates } = await call(token, '/r/gated/api/user_flair_v2');
    const [holder, whale] = templates as unknown as { id: string }[];
    await call(token, '/r/gated/api/selectflair', { name: 'ann', flair_template_id: holder?.id ?? '' });
    await call(token, '/r/gated/api/selectflair', { name: 'ann', flair_template_id: whale?.id ?? '' });
    await call(token, '/r/gated/api/friend', { name: 'ann', type: 'contributor' });
    const { body } = await call(token, '/r/gated/api/flairlist?name=ann');
    assert.deepEqual(body.users, [{ user: 'ann', flair_text: 'Whale', flair_css_class: 'whale' }]);
    const { body: approved } = await call(token, '/r/gated/about/contributors?user=ann');
    assert.deepEqual(
      (approved as unknown as { data: { children: { name: string }[] } }).data.children.map(({ name }) => name),
      ['ann'],
    );
  });

  it('refuses members, strangers, other scopes, and calls without a user agent', async () => {
    const member = await tokenOf('bob');
    assert.equal((await call(member, '/r/gated/api/friend', { name: 'bob', type: 'contributor' })).status, 403);
    const moderator = await tokenOf('mod', ['identity']);
    assert.equal((await call(moderator, '/r/gated/api/flairlist')).status, 403);
    assert.equal((await call(await tokenOf('mod'), '/r/nowhere/about')).status, 404);
    const bare = await fetch(`${reddit.url}/api/v1/me`, { headers: { 'user-agent': '' } });
    assert.equal(bare.status, 429);
  });

  it('counts requests over ten minutes and says so in headers', async () => {
    now += 601_000;
    const token = await tokenOf('mod');
    const first = await call(token, '/api/v1/me');
    assert.equal(first.headers.get('x-ratelimit-remaining'), '59.0');
    for (let used = 1; used < 60; used++) await call(token, '/api/v1/me');
    const over = await call(token, '/api/v1/me');
    assert.equal(over.status, 429);
    now += Number(over.headers.get('x-ratelimit-reset')) * 1000;
    assert.equal((await call(token, '/api/v1/me')).status, 200);
  });

  it('loses writes, fails and hangs on command', async () => {
    now += 601_000;
    const token = await tokenOf('mod');
    const end = reddit.misbehave({ kind: 'lost-write', count: 1 });
    assert.equal((await call(token, '/r/gated/api/friend', { name: 'cat', type: 'contributor' })).status, 200);
    end();
    assert.equal(reddit.world.subreddit('gated')?.approved.has('cat'), false);
    reddit.misbehave({ kind: 'outage', count: 1 });
    await assert.rejects(call(token, '/api/v1/me'));
    assert.equal((await call(token, '/api/v1/me')).status, 200);
  });
});
