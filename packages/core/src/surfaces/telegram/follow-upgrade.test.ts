import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { seed, until } from '@latchkey/test-kit';
import { createCommunity } from '../../communities/community/index.ts';
import { countInteractions } from '../../communities/usage/index.ts';
import { throwDice } from '../../gating/role-changes/testing/dice.ts';
import type { TelegramEvent } from '../../ports/index.ts';
import { communityKey, userKey } from '../../shared/qualified-ids.ts';
import { addChat, resync } from './testing.ts';
import { TelegramWorld } from './testing-world.ts';

describe('a Telegram group that is upgraded to a supergroup', () => {
  let w: TelegramWorld;
  before(async () => {
    w = await TelegramWorld.open('telegram-upgrades');
  });
  after(() => w.close());

  const upgraded = (chatId: string, newChatId: string): TelegramEvent => ({ kind: 'upgraded', chatId, newChatId });
  const rulesOf = async (id: string) =>
    (await w.services.db.pool.query('select id from community_rules where community_id = $1', [id])).rows;

  it('keeps its community, rules and members, and is checked under its new id', async () => {
    const [chatId, newChatId, ann] = [await w.newGatedChat(), w.newChat(), await w.newHolder()];
    const id = communityKey('telegram', chatId);
    w.telegram.host.addMember(chatId, String(ann), ['member']);
    await w.hear({ kind: 'joined', chatId, user: w.person(ann) });
    const rules = await rulesOf(id);
    w.telegram.host.addMember(newChatId, String(ann), ['member']);
    for (const event of [upgraded(chatId, newChatId), upgraded(chatId, newChatId)]) await w.hear(event);

    const community = await w.communityOf(newChatId);
    assert.deepEqual([community?.id, community?.community_id, community?.status], [id, newChatId, 'active']);
    assert.deepEqual([(await rulesOf(id)).length, await rulesOf(id)], [1, rules]);
    assert.equal((await w.memberOf(chatId, ann))?.left_at, null);

    await w.hear({ kind: 'spoke', chatId: newChatId, user: w.person(ann) });
    assert.equal(await countInteractions(w.services.db.system, id, 'message'), 1);
    w.hold(ann, '0');
    w.t.advanceSeconds(3600);
    await resync(w.services, id);
    await until('she is out of the supergroup', () => !w.isIn(newChatId, ann));
    assert.equal(w.isIn(chatId, ann), true, 'nothing is written to the old chat');
  });

  it('keeps its community in whatever order Telegram reports what happened', async () => {
    const dice = throwDice(seed('telegram-upgrades'));
    for (let round = 0; round < 12; round += 1) {
      const [chatId, newChatId, owner] = [w.newChat(), w.newChat(), w.newNumber()];
      const id = await addChat(w.services, chatId, owner);
      w.telegram.host.addMember(newChatId, String(owner), ['member']);
      w.telegram.host.addAdmin(newChatId, String(owner));
      const user = w.person(owner);
      const events: TelegramEvent[] = [
        upgraded(chatId, newChatId),
        upgraded(chatId, newChatId),
        { kind: 'bot-added', chatId: newChatId, title: 'Cat Club', user },
        { kind: 'bot-removed', chatId, title: 'Cat Club', user },
        { kind: 'left', chatId, user },
        { kind: 'spoke', chatId: newChatId, user },
      ];
      const notified: string[] = [];
      while (events.length > 0) {
        const [event] = events.splice(dice.below(events.length), 1);
        if (event === undefined) continue;
        notified.push(event.kind);
        await w.hear(event);
        await w.settled();
      }
      const { rows } = await w.services.db.pool.query(
        'select id, community_id, status from communities where id = any($1) or community_id = any($2)',
        [
          [id, communityKey('telegram', newChatId)],
          [chatId, newChatId],
        ],
      );
      assert.deepEqual(rows, [{ id, community_id: newChatId, status: 'active' }], notified.join(', '));
      assert.equal((await rulesOf(id)).length, 1);
    }
  });

  it('is left alone if the supergroup is another community with rules, and nothing changes', async () => {
    const [chatId, newChatId] = [await w.newGatedChat(), await w.newGatedChat()];
    await w.hear(upgraded(chatId, newChatId));
    assert.equal((await w.communityOf(chatId))?.community_id, chatId);
    assert.equal((await w.communityOf(newChatId))?.id, communityKey('telegram', newChatId));
    assert.ok(w.t.log.lines.some((line) => line.includes('another community')));
  });

  it('is not merged with a community that was created for the supergroup long before', async () => {
    const [chatId, newChatId] = [await w.newGatedChat(), w.newChat()];
    const ownerId = userKey('telegram', String(w.newNumber()));
    await createCommunity(w.ctx, { body: { platform: 'telegram', communityId: newChatId, name: 'Dogs', ownerId } });
    w.t.advanceSeconds(3600);
    await w.hear(upgraded(chatId, newChatId));
    assert.equal((await w.communityOf(newChatId))?.name, 'Dogs');
    assert.equal((await w.communityOf(chatId))?.community_id, chatId);
  });

  it('of an unknown group nothing is stored', async () => {
    const [chatId, newChatId] = [w.newChat(), w.newChat()];
    await w.hear(upgraded(chatId, newChatId));
    assert.equal(await w.communityOf(newChatId), undefined);
  });
});
