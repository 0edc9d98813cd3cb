import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { PlatformFailed, type TelegramJoinWay } from '../../ports/index.ts';
import { contextFor, type Services } from '../../shared/context.ts';
import { communityKey } from '../../shared/qualified-ids.ts';
import { Crash, crashing } from '../../testing/index.ts';
import { TelegramWorld } from '../telegram/testing-world.ts';
import { revokeMisused } from '../telegram-gate/jobs.ts';
import { listGateBypasses, revokeGateBypass, setGateSettings } from '../telegram-gate/operations.ts';
import { findNews, notifyNews } from './testing.ts';

describe('admins of a Telegram chat are notified of joins around the gate', () => {
  let w: TelegramWorld;
  before(async () => {
    w = await TelegramWorld.open('gate-notices');
  });
  after(() => w.close());

  async function open() {
    const chatId = await w.newGatedChat();
    const communityId = communityKey('telegram', chatId);
    const owner = (await w.communityOf(chatId))?.owner_id.split('#').at(-1) ?? '';
    return {
      chatId,
      communityId,
      owner,
      told: () => w.telegram.posts.filter((post) => post.chatId === owner),
      join: async (way: TelegramJoinWay) => {
        w.t.advanceSeconds(1);
        await w.hear({ kind: 'joined', chatId, user: w.person(w.newNumber()), way });
      },
      ways: async () => (await listGateBypasses(w.ctx, { communityId })).items,
    };
  }
  const invitation = (name: string) =>
    ({ kind: 'link', link: { url: `https://t.me/+${name}`, name: 'for 1', isOwn: true } }) as const;

  /** The jobs that revoke misused invitations, each run once. */
  async function runRevocations(services: Services = w.services): Promise<number> {
    const { rows } = await w.services.db.pool.query<{ id: string; payload: { communityId: string; wayId: string } }>(
      "select id, payload from jobs where name = 'telegram-gate.revoke-misused' and state <> 'dead'",
    );
    for (const { id, payload } of rows) {
      await revokeMisused(contextFor(services, { kind: 'system', job: 'telegram-gate.revoke-misused' }), payload);
      await w.services.db.pool.query('delete from jobs where id = $1', [id]);
    }
    return rows.length;
  }

  test('once for each way, however many people take it, with what to do and a link to the list', async () => {
    const { chatId, communityId, told, join } = await open();
    await join({ kind: 'public' });
    for (let joins = 0; joins < 3; joins += 1) {
      await join({ kind: 'public' });
      await notifyNews(w.services);
    }
    const [first, ...more] = told();
    assert.match(
      first?.text ?? '',
      /^The public name of Cat Club lets people in without a request\. In Telegram, open/,
    );
    assert.match(first?.text ?? '', new RegExp(`/console/communities/${encodeURIComponent(communityId)}/setup`));
    assert.deepEqual(more, []);
    await join({ kind: 'folder' });
    await notifyNews({ ...w.services });
    assert.match(told()[1]?.text ?? '', /^A link to a folder of chats lets people into Cat Club/);
    assert.equal(told().length, 2);
    assert.ok(!w.telegram.posts.some((post) => post.chatId === chatId), 'the chat itself reads nothing of it');
  });

  test('once, wherever the process dies meanwhile', async () => {
    const { told, join } = await open();
    await join({ kind: 'public' });
    let crashes = 0;
    for (let survived = 0; ; survived += 1) {
      const dying = contextFor(
        { ...w.services, db: crashing(w.services.db, survived) },
        { kind: 'system', job: 'test' },
      );
      const died = await findNews(dying).then(
        () => false,
        (error: unknown) => {
          if (!(error instanceof Crash)) throw error;
          return true;
        },
      );
      if (!died) break;
      crashes += 1;
    }
    await notifyNews(w.services);
    assert.ok(crashes > 0);
    assert.equal(told().length, 1);
  });

  test('the message says so when an admin revokes the link, and a join by another link is a new one', async () => {
    const { communityId, told, join, ways } = await open();
    await join(invitation('a'));
    await notifyNews(w.services);
    assert.match(
      told()[0]?.text ?? '',
      /^Another person used a one-time invitation to Cat Club\. Revoke the link in the/,
    );
    await revokeGateBypass(w.ctx, { communityId, bypassId: (await ways())[0]?.id ?? '' });
    await notifyNews(w.services);
    assert.match(told()[0]?.text ?? '', /The link is revoked\. Nothing is left to do\./);
    // An update that was late: the link was used before it was revoked.
    await join(invitation('a'));
    await notifyNews(w.services);
    assert.equal(told().length, 1);
    await join(invitation('b'));
    await notifyNews(w.services);
    assert.equal(told().length, 2);
  });

  test('misused invitations are revoked only where admins chose so, with an audit entry and words that say it', async () => {
    const [chosen, other] = [await open(), await open()];
    const { communityId } = chosen;
    assert.equal((await listGateBypasses(w.ctx, { communityId })).revokesMisused, false);
    await chosen.join(invitation('before'));
    await setGateSettings(w.ctx, { communityId, body: { revokesMisused: true } });
    assert.equal((await listGateBypasses(w.ctx, { communityId })).revokesMisused, true);
    await chosen.join(invitation('c'));
    await chosen.join({ kind: 'link', link: { url: 'https://t.me/+foreign', isOwn: false } });
    await other.join(invitation('d'));
    assert.equal(await runRevocations(), 1);
    assert.deepEqual(w.telegram.revoked.slice(-1), ['https://t.me/+c']);
    await notifyNews(w.services);
    const texts = chosen.told().map(({ text }) => text);
    assert.ok(
      texts.some((text) => /one-time invitation.* The bot revoked the link, as you chose\./.test(text)),
      texts.join('\n'),
    );
    assert.equal(texts.length, 3, 'each way is one notice');
    assert.doesNotMatch(other.told()[0]?.text ?? '', /revoked/);
    const { rows } = await w.services.db.pool.query(
      "select action, through, reason from audit_entries where community_id = $1 and action = 'community.invite-revoke'",
      [communityId],
    );
    const reason = 'Another person used a one-time invitation of the bot.';
    assert.deepEqual(rows, [{ action: 'community.invite-revoke', through: 'job', reason }]);
    await setGateSettings(w.ctx, { communityId, body: { revokesMisused: false } });
    await chosen.join(invitation('e'));
    assert.equal(await runRevocations(), 0);
  });

  test('a revocation is repeated after an outage or a crash, and recorded once', async () => {
    const { communityId, join, ways } = await open();
    await setGateSettings(w.ctx, { communityId, body: { revokesMisused: true } });
    await join(invitation('f'));
    const { revokeInvite } = w.telegram.api;
    w.telegram.api.revokeInvite = () => Promise.reject(new PlatformFailed('unavailable', 'Telegram is down.'));
    await assert.rejects(runRevocations(), /Telegram is down/);
    w.telegram.api.revokeInvite = revokeInvite;
    await assert.rejects(runRevocations({ ...w.services, db: crashing(w.services.db, 0) }), Crash);
    assert.equal(typeof (await ways())[0]?.revokedTime, 'undefined');
    assert.equal(await runRevocations(), 1);
    assert.notEqual((await ways())[0]?.revokedTime, undefined);
    const { rowCount } = await w.services.db.pool.query(
      "select from audit_entries where community_id = $1 and action = 'community.invite-revoke'",
      [communityId],
    );
    assert.equal(rowCount, 1);
    await join(invitation('g'));
    w.telegram.api.revokeInvite = () => Promise.reject(new PlatformFailed('forbidden', 'The bot is no admin.'));
    assert.equal(await runRevocations(), 1);
    w.telegram.api.revokeInvite = revokeInvite;
    assert.equal((await ways()).find(({ link }) => link === 'https://t.me/+g')?.canRevoke, true);
  });
});
