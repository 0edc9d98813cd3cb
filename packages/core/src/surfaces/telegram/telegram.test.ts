import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { until } from '@latchkey/test-kit';
import { communityKey } from '../../shared/qualified-ids.ts';
import { resync } from './testing.ts';
import { TelegramWorld } from './testing-world.ts';

describe('a Telegram chat', () => {
  let w: TelegramWorld;
  before(async () => {
    w = await TelegramWorld.open('telegram');
  });
  after(() => w.close());

  describe('becomes a community', () => {
    it('of the admin who adds the bot, and lists the permissions the bot still lacks', async () => {
      const [chatId, owner] = [w.newChat(), w.newNumber()];
      w.telegram.host.addAdmin(chatId, String(owner));
      w.telegram.missing = ['ban users'];
      await w.addBot(chatId, owner);
      await w.addBot(chatId, owner);
      await w.settled();
      w.telegram.missing = [];
      const community = await w.communityOf(chatId);
      assert.deepEqual(
        [community?.owner_id, community?.name, community?.status],
        [`TEL#USER#${owner}`, 'Cat Club', 'active'],
      );
      assert.equal(w.sentTo(chatId).length, 1);
      assert.match(w.sentTo(chatId)[0]?.text ?? '', new RegExp(`t.me/gate_bot.start=${chatId}.*ban users`));
      await w.addBot(chatId, owner);
      await w.settled();
      assert.equal(w.sentTo(chatId).length, 1, 'a changed permission does not create a new chat');
    });

    it('but not when a user who is not an admin adds the bot', async () => {
      const [chatId, member, admin] = [w.newChat(), w.newNumber(), w.newNumber()];
      await w.addBot(chatId, member);
      await w.settled();
      assert.equal(await w.communityOf(chatId), undefined);
      assert.equal(w.sentTo(chatId).length, 0);
      w.telegram.host.addAdmin(chatId, String(admin));
      await w.addBot(chatId, admin);
      await w.settled();
      assert.equal((await w.communityOf(chatId))?.owner_id, `TEL#USER#${admin}`);
    });

    it('that is paused while the bot is removed, but an admin’s pause stays', async () => {
      const [chatId, paused] = [await w.newGatedChat(), await w.newGatedChat()];
      const id = communityKey('telegram', paused);
      await w.t.services.db.pool.query(`update communities set status = 'paused' where id = $1`, [id]);
      const user = w.person(w.newNumber());
      for (const chat of [chatId, paused]) await w.hear({ kind: 'bot-removed', chatId: chat, title: 'Cat Club', user });
      assert.equal((await w.communityOf(chatId))?.status, 'kicked');
      for (const chat of [chatId, paused]) await w.hear({ kind: 'bot-added', chatId: chat, title: 'Cat Club', user });
      assert.equal((await w.communityOf(chatId))?.status, 'active');
      assert.equal((await w.communityOf(paused))?.status, 'paused');
    });
  });

  describe('has members', () => {
    it('that are recorded when they join or write, and removed when they leave', async () => {
      const chatId = await w.newGatedChat();
      const [ann, ben, cid] = [await w.newHolder(), await w.newHolder(), await w.newHolder()];
      const bot = w.newNumber();
      for (const user of [ann, ben, cid]) w.telegram.host.addMember(chatId, String(user), ['member']);
      await w.hear({ kind: 'joined', chatId, user: w.person(ann) });
      await w.hear({ kind: 'spoke', chatId, user: w.person(ben) });
      await w.hear({ kind: 'command', chatId, isPrivate: false, user: w.person(cid), command: 'dice', argument: '' });
      await w.hear({ kind: 'spoke', chatId, user: w.person(bot, true) });
      const seen = await Promise.all([ann, ben, cid].map((user) => w.memberOf(chatId, user)));
      assert.deepEqual(
        seen.map((row) => [row?.role_ids, row?.left_at]),
        Array.from({ length: 3 }, () => [['member'], null]),
      );
      assert.deepEqual([seen[0]?.last_active_at, seen[1]?.last_active_at], [null, w.t.services.clock()]);
      assert.equal(await w.memberOf(chatId, bot), undefined);
      await w.hear({ kind: 'left', chatId, user: w.person(ann) });
      assert.notEqual((await w.memberOf(chatId, ann))?.left_at, null);
    });

    it('that are checked as soon as they join, however they came in', async () => {
      const [chatId, ann] = [await w.newGatedChat(), await w.newHolder('0')];
      w.telegram.host.addMember(chatId, String(ann), ['member']);
      await w.hear({ kind: 'joined', chatId, user: w.person(ann) });
      await until('she is removed', () => !w.isIn(chatId, ann));
    });

    it('including silent ones that a resync removes once they do not qualify, and only those', async () => {
      const [chatId, ann, ben] = [await w.newGatedChat(), await w.newHolder(), await w.newHolder()];
      for (const user of [ann, ben]) {
        w.telegram.host.addMember(chatId, String(user), ['member']);
        await w.hear({ kind: 'joined', chatId, user: w.person(user) });
      }
      w.hold(ann, '0');
      w.t.advanceSeconds(3600);
      const id = communityKey('telegram', chatId);
      await resync(w.services, id);
      await until('she is removed', () => !w.isIn(chatId, ann));
      const ledger = async () => {
        const words = 'select user_id, action from role_ledger where community_id = $1';
        return (await w.t.services.db.pool.query(words, [id])).rows;
      };
      await until('it is recorded', async () => (await ledger()).length > 0);
      assert.deepEqual(await ledger(), [{ user_id: `TEL#USER#${ann}`, action: 'revoke' }]);
      assert.notEqual((await w.memberOf(chatId, ann))?.left_at, null);
      assert.equal(w.isIn(chatId, ben), true);
      // It is looked up by id; the removal may result from the check on joining, and so come before that.
      const now = w.t.services.clock().getTime();
      await until('the other was checked', async () => (await w.memberOf(chatId, ben))?.seen_at.getTime() === now);
      assert.equal(w.isIn(chatId, ben), true);
    });

    it('of unknown chats nothing is stored', async () => {
      const [chatId, ann] = [w.newChat(), w.newNumber()];
      const user = w.person(ann);
      await w.hear({ kind: 'join-requested', chatId, user, replyTo: user.id });
      await w.hear({ kind: 'joined', chatId, user });
      await w.hear({ kind: 'spoke', chatId, user });
      await w.hear({ kind: 'command', chatId, isPrivate: false, user, command: 'check', argument: '' });
      await w.hear({ kind: 'left', chatId, user });
      await w.hear({ kind: 'bot-removed', chatId, title: 'Cat Club', user });
      await w.settled();
      assert.equal(await w.communityOf(chatId), undefined);
      assert.equal(await w.memberOf(chatId, ann), undefined);
      assert.deepEqual(w.sentTo(ann), []);
    });
  });
});
