import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { type MemberRoles, PlatformFailed } from '@latchkey/core/ports';
import { startRedditEmulator } from '@latchkey/emulators/reddit';
import { patientMs } from '@latchkey/emulators/testing';
import { fuzzAnswers, startAnswerProxy, volume } from '@latchkey/test-kit';
import { createRedditHost } from './host.ts';

const scopes = ['identity', 'mysubreddits', 'read', 'flair', 'modflair', 'modcontributors'];

async function start(t: TestContext) {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const clock = () => new Date(now);
  // After ten minutes, Reddit's rate limit is reset.
  const later = () => {
    now += 601_000;
  };
  const reddit = await startRedditEmulator({ clock: () => now });
  t.after(() => reddit.stop());
  const proxy = await startAnswerProxy(reddit.url);
  t.after(() => proxy.stop());
  for (const name of ['mod', 'ann', 'bob']) reddit.world.addUser(name);
  reddit.world.addSubreddit('gated', ['mod'], ['Holder', 'Whale']);
  const token = reddit.tokens.grant('mod', scopes);
  const host = createRedditHost({
    fetch,
    fetchMedia: fetch,
    apiUrl: proxy.url,
    authUrl: proxy.url,
    clientId: reddit.clientId,
    clientSecret: reddit.clientSecret,
    clock,
    timeoutMs: patientMs,
    refreshTokenOf: async () => token,
  });
  const [holder = ''] = (await host.readRoles('gated')).map(({ id }) => id);
  for (const userId of ['ann', 'bob']) {
    const write = { communityId: 'gated', userId, add: [holder, 'approved'], remove: [], held: [], reason: 'test' };
    assert.equal((await host.writeMember(write)).kind, 'written');
  }
  const list = async () => {
    const found: MemberRoles[] = [];
    for await (const page of host.readMembers('gated')) found.push(...page);
    return found;
  };
  return { proxy, host, holder, list, later };
}

async function outcomeOf<Value>(read: Promise<Value> | undefined): Promise<Value | 'unknown' | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof PlatformFailed && error.kind === 'unavailable') return 'unknown';
    throw error;
  }
}

test('however Reddit’s response is corrupted, the result is right or unknown', async (t) => {
  const { proxy, host, holder, list, later } = await start(t);
  const intercept: typeof proxy.intercept = (change) => {
    later();
    proxy.intercept(change);
  };
  const rounds = volume(40, 2_000);
  // An empty text is not a flair, and without a cursor a page is the last one.
  const optional = ['after', 'next', 'expires_in', 'text', 'css_class', 'flair_text', 'flair_css_class'];
  const isRight = (got: unknown, truth: unknown) => got === 'unknown' || isDeepStrictEqual(got, truth);
  await fuzzAnswers({
    name: 'reddit member',
    rounds,
    intercept,
    optional,
    read: async () => outcomeOf(host.readMember('gated', 'ann').then((member) => member?.roleIds)),
    isRight,
  });
  await fuzzAnswers({
    name: 'reddit members',
    rounds,
    intercept,
    optional,
    read: async () => (await outcomeOf(list())) ?? [],
    isRight: (got, truth) => {
      if (got === 'unknown' || truth === 'unknown') return true;
      const known = new Map(truth.map(({ userId, roleIds }) => [userId, roleIds]));
      return got.every(({ userId, roleIds }) => isDeepStrictEqual(roleIds, known.get(userId)));
    },
  });
  await fuzzAnswers({
    name: 'reddit powers',
    rounds,
    intercept,
    optional,
    read: async () => [await outcomeOf(host.administers?.('gated', 'mod')), await outcomeOf(host.findOwner?.('gated'))],
    isRight: (got, truth) => got.every((one, place) => isRight(one, truth[place])),
  });
  await fuzzAnswers({
    name: 'reddit faults',
    rounds,
    intercept,
    optional,
    read: async () => outcomeOf(host.findFaults?.('gated', [holder])),
    isRight,
  });
});
