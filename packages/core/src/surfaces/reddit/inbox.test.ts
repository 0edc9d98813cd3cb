import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type RedditEmulator, startRedditEmulator } from '@latchkey/emulators/reddit';
import type { Actor } from '@latchkey/kernel';
import { createRedditApi, createRedditHost } from '@latchkey/platforms/reddit';
import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import { createRule } from '../../gating/community-rules/index.ts';
import { listChangeSets, reconcileCommunityJob } from '../../gating/role-changes/index.ts';
import { type Context, contextFor, type Services } from '../../shared/context.ts';
import { patienceMs, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { notifyNews } from '../admin-notices/testing.ts';
import { readInbox } from './jobs.ts';
import { addCommunityConfig } from './operations.ts';
import { claimDueInboxes } from './queries.ts';
import { findRefreshToken } from './reads.ts';

const scopes = ['identity', 'mysubreddits', 'read', 'flair', 'modflair', 'modcontributors'];
function moderator(name: string): Actor {
  return {
    kind: 'user',
    userId: `RED#USER#${name}`,
    platform: 'reddit',
    name,
    scopes: ['$all'],
    credential: 'wallet-session',
  };
}

describe('moderators and members of a subreddit', () => {
  let t: TestPlatform;
  let emulator: RedditEmulator;
  let services: Services;
  let system: Context;
  before(async () => {
    t = await testPlatform('reddit-inbox');
    emulator = await startRedditEmulator({ clock: () => t.services.clock().getTime() });
    const { url, clientId, clientSecret } = emulator;
    const options = {
      apiUrl: url,
      authUrl: url,
      clientId,
      clientSecret,
      clock: t.services.clock,
      timeoutMs: patienceMs,
      fetch,
    };
    const reddit = createRedditHost({
      fetchMedia: fetch,
      ...options,
      refreshTokenOf: (name) => findRefreshToken(services, name),
    });
    services = { ...t.services, reddit: createRedditApi(options), hosts: { reddit } };
    system = contextFor(services, { kind: 'system', job: 'test' });
    for (const name of ['mod', 'ann', 'tidy']) emulator.world.addUser(name);
  });
  after(async () => {
    await emulator.stop();
    await t.close();
  });

  /** A subreddit linked by its moderator, in which twelve members are about to lose their approval. */
  async function open(name: string, granted = [...scopes, 'modmail', 'privatemessages'], account = 'mod') {
    t.advanceSeconds(700);
    const subreddit = emulator.world.addSubreddit(name, [account], ['Holder']);
    for (let n = 0; n < 12; n += 1) {
      const user = emulator.world.addUser(`${name}cat${n}`);
      subreddit.approved.add(user.name);
    }
    const as = contextFor(services, moderator(account));
    await addCommunityConfig(as, { body: { communityName: name, botToken: emulator.tokens.grant(account, granted) } });
    const id = `RED#COMM#${name}`;
    const body = {
      name: 'Cat club',
      type: 'ERC20',
      chainId: 1,
      contractAddress: `0x${'1'.repeat(40)}`,
      roleId: 'approved',
    };
    await createRule(as, { id, body });
    await enqueueReconcile(services.db.system, { communityId: id, members: '*', cause: 'schedule' });
    await reconcileCommunityJob(system, id);
    const changeSet = (await listChangeSets(system, id)).items.find(({ status }) => status === 'held');
    assert.ok(changeSet);
    return { id, changeSetId: changeSet.id };
  }

  /** Sends a private message to the linked account and returns the reply. */
  async function ask(id: string, author: string, text: string, to = 'mod'): Promise<string> {
    const message = emulator.world.sendMessage(author, to, 'Latchkey', text);
    await readInbox(system, id, new AbortController().signal);
    assert.ok(message.isRead);
    const answer = emulator.world.messages.at(-1);
    assert.deepEqual([answer?.author, answer?.to], [to, author]);
    return answer?.body ?? '';
  }

  test('are notified of a held change set by modmail, and there again of the decision', async () => {
    const { id, changeSetId } = await open('gated');
    await notifyNews(services);
    await notifyNews(services);
    const conversations = () =>
      [...emulator.world.conversations.values()].filter(({ subreddit }) => subreddit === 'gated');
    assert.equal(conversations().length, 1);
    assert.equal(
      conversations()[0]?.subject,
      'A role change in gated needs your approval: 12 members lose Approved user.',
    );
    const [first] = conversations()[0]?.messages ?? [];
    assert.match(first?.body ?? '', /\* gatedcat\d+ loses Approved user\. The rule "Cat club" needs/);
    assert.ok(first?.body.includes('send u/mod a private message with the subject `latchkey`'));
    assert.ok(first?.body.includes(`\`approve ${changeSetId}\``));
    assert.match(await ask(id, 'mod', `approve ${changeSetId}`), /^Approve 12 removals\?/);
    assert.match(await ask(id, 'mod', `Approve ${changeSetId} 12`), /^Approved: 12 removals/);
    await notifyNews(services);
    assert.match(conversations()[0]?.messages.at(-1)?.body ?? '', /12 members lose Approved user\. Approved by mod\./);
  });

  test('decide by private message if they moderate it, and can ask why', async () => {
    const { id, changeSetId } = await open('second');
    assert.match(
      await ask(id, 'mod', 'changes'),
      /second: \* 20.+12 members lose Approved user|12 members lose Approved user/,
    );
    for (const command of ['show', 'approve', 'reject', 'undo'])
      assert.match(await ask(id, 'ann', `${command} ${changeSetId} 12`), /^Role changes not found/);
    assert.match(await ask(id, 'ann', 'changes'), /Only admins/);
    assert.match(await ask(id, 'ann', 'why u/secondcat1'), /Only admins/);
    assert.match(await ask(id, 'mod', 'why u/secondcat1'), /second: secondcat1 has no linked wallet/);
    assert.match(await ask(id, 'secondcat2', 'why'), /second: You have no linked wallet\./);
    assert.match(await ask(id, 'secondcat2', 'Warum'), /second: Du hast keine verknüpfte Wallet\. Verknüpfe eine/);
    assert.match(await ask(id, 'ann', 'dance'), /^Commands: why/);
    assert.match(await ask(id, 'mod', `reject ${changeSetId}`), /^Rejected/);
  });

  test('have their other messages ignored', async () => {
    const { id } = await open('third');
    const letter = emulator.world.sendMessage('ann', 'mod', 'Dinner?', 'changes');
    const before = emulator.world.messages.length;
    await readInbox(system, id, new AbortController().signal);
    assert.deepEqual([letter.isRead, emulator.world.messages.length], [false, before]);
  });

  test('whose account may not write or read messages are skipped for a day', async () => {
    const { id } = await open('plain', scopes, 'tidy');
    await notifyNews(services);
    assert.ok(![...emulator.world.conversations.values()].some(({ subreddit }) => subreddit === 'plain'));
    assert.ok(t.log.lines.some((line) => line.includes('cannot send modmail')));
    await readInbox(system, id, new AbortController().signal);
    const now = services.clock();
    const due = (hours: number) =>
      claimDueInboxes(services.db.system, new Date(now.getTime() + hours * 3_600_000), new Date(0), 100);
    assert.ok(!(await due(1)).includes(id));
    assert.ok((await due(25)).includes(id));
  });
});
