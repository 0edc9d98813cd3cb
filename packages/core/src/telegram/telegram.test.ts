import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from '@latchkey/db';
import { communityKey, selectCommunity, userKey } from '../communities/index.ts';
import { type Context, contextFor, type Platform } from '../context.ts';
import { selectMembers } from '../members/index.ts';
import type { TelegramEvent } from '../ports/index.ts';
import { ensureSigningKeys } from '../signing-keys/index.ts';
import { type TestPlatform, testPlatform } from '../testing/index.ts';
import { answerCommand } from './answer-command.ts';
import { decideJoin } from './decide-join.ts';
import { handleTelegramEvent } from './handle-event.ts';
import {
  addChat,
  linkWallet,
  type MemoryTelegram,
  memoryTelegram,
  startTestWorker,
  sweep,
  token,
  walletOf,
} from './testing.ts';

describe('a chat of Telegram', () => {
  let t: TestPlatform;
  let telegram: MemoryTelegram;
  let platform: Platform;
  let ctx: Context;
  let worker: Worker;
  let numbers = 0;
  const signal = new AbortController().signal;

  before(async () => {
    t = await testPlatform('telegram');
    telegram = memoryTelegram();
    platform = { ...t.platform, telegram: telegram.api, hosts: { telegram: telegram.host } };
    ctx = contextFor(platform, { kind: 'system', job: 'test' });
    await ensureSigningKeys(t.platform);
    worker = startTestWorker(platform);
  });
  after(async () => {
    await worker.stop(1_000);
    await t.close();
  });

  const newNumber = () => {
    numbers += 1;
    return 1_000 + numbers;
  };
  const person = (id: number, isBot = false) => ({ id: String(id), name: `user${id}`, isBot });
  const hear = (event: TelegramEvent) => handleTelegramEvent(ctx, event);
  const hold = (userId: number, amount: string) =>
    t.holdings.set({ chain: 'evm:1', standard: 'erc20', reference: token, account: walletOf(userId) }, amount);
  const eventually = async <Found>(look: () => Promise<Found | undefined | false> | Found | undefined | false) => {
    const deadline = performance.now() + 15_000;
    for (;;) {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      if (performance.now() > deadline) throw new Error(`Waited in vain: ${look}`);
      await delay(10);
    }
  };
  const jobsOf = async (name: string) =>
    (await t.platform.db.pool.query('select payload from jobs where name = $1', [name])).rows.length;
  /** All jobs of Telegram are done; those of other features do not matter. */
  const settled = () =>
    eventually(async () => {
      const { rows } = await t.platform.db.pool.query(
        `select from jobs where name like 'telegram.%' and state <> 'dead'`,
      );
      return rows.length === 0;
    });
  const communityOf = (chatId: string) => selectCommunity(platform.db.system, communityKey('telegram', chatId));
  const memberOf = async (chatId: string, userId: number) =>
    (
      await selectMembers(platform.db.system, communityKey('telegram', chatId), [userKey('telegram', String(userId))])
    )[0];
  const sentTo = (chatId: string | number) => telegram.sent.filter((message) => message.chatId === String(chatId));
  const newChat = () => {
    const chatId = String(-100_000 - newNumber());
    telegram.host.addCommunity(chatId);
    return chatId;
  };
  /** A chat with a rule that asks its members for one token. */
  const newGatedChat = async () => {
    const chatId = newChat();
    const id = await addChat(platform, chatId, newNumber());
    // A new rule has everybody looked at; tests start after that.
    await eventually(async () => {
      const { rows } = await t.platform.db.pool.query('select from role_touches where community_id = $1', [id]);
      return rows.length === 0;
    });
    return chatId;
  };
  const newHolder = async (amount = '1') => {
    const userId = newNumber();
    await linkWallet(platform, userId);
    hold(userId, amount);
    return userId;
  };
  const knock = async (chatId: string, userId: number) => {
    telegram.waiting.add(`${chatId}/${userId}`);
    await hear({ kind: 'join-requested', chatId, user: person(userId), replyTo: String(userId) });
  };
  const isWaiting = (chatId: string, userId: number) => telegram.waiting.has(`${chatId}/${userId}`);
  const isIn = (chatId: string, userId: number) => telegram.host.rolesOf(chatId, String(userId)) !== undefined;
  const addBot = (chatId: string, userId: number) =>
    hear({ kind: 'bot-added', chatId, title: 'Cat Club', user: person(userId) });

  describe('becomes a community', () => {
    it('of the admin who adds the bot, and says what the bot still lacks', async () => {
      const [chatId, owner] = [newChat(), newNumber()];
      telegram.host.addAdmin(chatId, String(owner));
      telegram.missing = ['ban users'];
      await addBot(chatId, owner);
      await addBot(chatId, owner);
      await settled();
      telegram.missing = [];
      const community = await communityOf(chatId);
      assert.deepEqual(
        [community?.owner_id, community?.name, community?.status],
        [`TEL#USER#${owner}`, 'Cat Club', 'active'],
      );
      assert.equal(sentTo(chatId).length, 1);
      assert.match(sentTo(chatId)[0]?.text ?? '', new RegExp(`t.me/gate_bot.start=${chatId}.*ban users`));
      await addBot(chatId, owner);
      assert.equal(await jobsOf('telegram.welcome-chat'), 0, 'a right more or less is no new chat');
    });

    it('of nobody else: who does not look after the chat adds the bot in vain', async () => {
      const [chatId, member, admin] = [newChat(), newNumber(), newNumber()];
      await addBot(chatId, member);
      await settled();
      assert.equal(await communityOf(chatId), undefined);
      assert.equal(sentTo(chatId).length, 0);
      telegram.host.addAdmin(chatId, String(admin));
      await addBot(chatId, admin);
      await settled();
      assert.equal((await communityOf(chatId))?.owner_id, `TEL#USER#${admin}`);
    });

    it('which rests while the bot is out, but a pause by an admin stays a pause', async () => {
      const [chatId, paused] = [await newGatedChat(), await newGatedChat()];
      const id = communityKey('telegram', paused);
      await t.platform.db.pool.query(`update communities set status = 'paused' where id = $1`, [id]);
      const user = person(newNumber());
      for (const chat of [chatId, paused]) await hear({ kind: 'bot-removed', chatId: chat, title: 'Cat Club', user });
      assert.equal((await communityOf(chatId))?.status, 'kicked');
      for (const chat of [chatId, paused]) await hear({ kind: 'bot-added', chatId: chat, title: 'Cat Club', user });
      assert.equal((await communityOf(chatId))?.status, 'active');
      assert.equal((await communityOf(paused))?.status, 'paused');
    });
  });

  describe('has a door', () => {
    it('that opens to who qualifies', async () => {
      const [chatId, ann] = [await newGatedChat(), await newHolder()];
      await knock(chatId, ann);
      await settled();
      assert.equal(isIn(chatId, ann), true);
      assert.deepEqual(sentTo(ann), []);
    });

    it('that stays shut to others, who hear first what to do about it', async () => {
      const [chatId, ann] = [await newGatedChat(), await newHolder('0.5')];
      const { declineJoin } = telegram.api;
      const toldBefore: number[] = [];
      telegram.api.declineJoin = async (...args) => {
        toldBefore.push(sentTo(ann).length);
        return declineJoin(...args);
      };
      await knock(chatId, ann);
      await settled();
      telegram.api.declineJoin = declineJoin;
      assert.deepEqual([isIn(chatId, ann), isWaiting(chatId, ann)], [false, false]);
      assert.deepEqual(toldBefore, [1], 'Telegram lets nobody be told once the request is answered');
      const [message] = sentTo(ann);
      assert.match(message?.text ?? '', /^Cat Club asks for tokens/);
      assert.match(message?.button?.url ?? '', /^http:\/\/latchkey\.test\/states\/[\w-]+$/);
      assert.equal(message?.button?.text, 'Link a wallet');
    });

    it('that is shut also to who does not want to hear it', async () => {
      const [chatId, ann] = [await newGatedChat(), newNumber()];
      telegram.deaf.add(String(ann));
      await knock(chatId, ann);
      await settled();
      assert.equal(isWaiting(chatId, ann), false);
    });

    it('at which one waits while a chain does not answer', async () => {
      const [chatId, ann] = [await newGatedChat(), await newHolder()];
      const request = { communityId: communityKey('telegram', chatId), userId: String(ann), replyTo: String(ann) };
      telegram.waiting.add(`${chatId}/${ann}`);
      t.holdings.fail('evm:1', 'The node is down.');
      for (const attempt of [1, 2])
        await assert.rejects(decideJoin(ctx, request, { attempt, signal }), /cannot be read yet/);
      t.holdings.fail('evm:1', undefined);
      assert.equal(isWaiting(chatId, ann), true);
      assert.deepEqual(
        sentTo(ann).map(({ text }) => text),
        ['Your wallets cannot be looked at just now. Your request stays open.'],
      );
      await decideJoin(ctx, request, { attempt: 3, signal });
      assert.equal(isIn(chatId, ann), true);
    });

    it('that is tried again when Telegram fails, and left when nobody waits any more', async () => {
      const [chatId, ann] = [await newGatedChat(), await newHolder()];
      const request = { communityId: communityKey('telegram', chatId), userId: String(ann), replyTo: String(ann) };
      telegram.host.interfere(() => ({ kind: 'failed', reason: 'Telegram does not answer.' }));
      await assert.rejects(decideJoin(ctx, request, { attempt: 1, signal }), /does not answer/);
      telegram.host.interfere(undefined);
      await decideJoin(ctx, request, { attempt: 2, signal });
      assert.equal(isIn(chatId, ann), false);
    });

    it('that its admins keep as long as no rule says who may be in', async () => {
      const [chatId, owner, ann] = [newChat(), newNumber(), newNumber()];
      telegram.host.addAdmin(chatId, String(owner));
      await addBot(chatId, owner);
      await settled();
      await knock(chatId, ann);
      await settled();
      assert.deepEqual([isWaiting(chatId, ann), isIn(chatId, ann)], [true, false]);
    });
  });

  describe('can be asked about', () => {
    const type = async (userId: number, command: string, argument = '') => {
      const chatId = String(userId);
      await hear({ kind: 'command', chatId, isPrivate: true, user: person(userId), command, argument });
      await settled();
    };

    it('and gives an invitation that works once to those alone who qualify', async () => {
      const [chatId, ann, ben] = [await newGatedChat(), await newHolder(), await newHolder('0')];
      for (const user of [ann, ben]) await type(user, 'start', chatId);
      const url = `https://t.me/+${chatId}/for ${ann}/${new Date(t.platform.clock().getTime() + 900_000).toISOString()}`;
      assert.deepEqual(sentTo(ann)[0]?.button, { text: 'Join Cat Club', url });
      assert.match(sentTo(ben)[0]?.text ?? '', /asks for tokens/);
      assert.match(sentTo(ben)[0]?.button?.url ?? '', /\/states\//);
    });

    it('and says when it cannot tell, has no rules, lacks a right or is not here', async () => {
      const [chatId, ruleless, ann, owner] = [await newGatedChat(), newChat(), await newHolder(), newNumber()];
      telegram.host.addAdmin(ruleless, String(owner));
      await addBot(ruleless, owner);
      await settled();
      t.holdings.fail('evm:1', 'The node is down.');
      await type(ann, 'start', chatId);
      t.holdings.fail('evm:1', undefined);
      telegram.missing = ['invite users'];
      await type(ann, 'start', chatId);
      telegram.missing = [];
      await type(ann, 'start', ruleless);
      await type(ann, 'start', '-1');
      const words = sentTo(ann).map(({ text }) => text);
      assert.equal(words.length, 4);
      for (const [at, pattern] of [/try again/, /may not invite/, /has no rules/, /no such chat/].entries())
        assert.match(words[at] ?? '', pattern);
      assert.ok(sentTo(ann).every(({ button }) => button === undefined));
    });

    it('with links that let their reader link a wallet, and nothing more', async () => {
      const ann = newNumber();
      await type(ann, 'start');
      await type(ann, 'connect');
      await type(ann, 'help');
      assert.equal(sentTo(ann).length, 2);
      const slugs = sentTo(ann).map(({ button }) => button?.url.split('/').at(-1));
      assert.equal(new Set(slugs).size, 2);
      for (const slug of slugs)
        assert.ok(
          t.log.lines.every((line) => !line.includes(slug ?? '?')),
          'no link in the log',
        );
    });

    it('by its members, whose roles are looked at without lifting a pause', async () => {
      const [chatId, ann, ben] = [await newGatedChat(), await newHolder('0'), await newHolder('0')];
      for (const user of [ann, ben]) telegram.host.addMember(chatId, String(user), ['member']);
      const id = communityKey('telegram', chatId);
      await t.platform.db.pool.query(
        `insert into role_pauses (community_id, user_id, role_id, plan_id, since) values ($1, $2, 'member', 'undone', now())`,
        [id, userKey('telegram', String(ben))],
      );
      for (const user of [ann, ben])
        await hear({ kind: 'command', chatId, isPrivate: false, user: person(user), command: 'check', argument: '' });
      await settled();
      assert.deepEqual([isIn(chatId, ann), isIn(chatId, ben)], [false, true]);
    });

    it('unless the bot was told to leave it alone', async () => {
      const without = contextFor({ ...platform, telegram: undefined }, { kind: 'system', job: 'test' });
      const given = { chatId: '1', isPrivate: true, userId: '1', command: 'start', argument: '' };
      await answerCommand(without, given, signal);
    });
  });

  describe('has members', () => {
    it('who are met when they join or speak, and forgotten when they leave', async () => {
      const chatId = await newGatedChat();
      const [ann, ben, cid, bot] = [newNumber(), newNumber(), newNumber(), newNumber()];
      for (const user of [ann, ben, cid]) telegram.host.addMember(chatId, String(user), ['member']);
      for (const user of [ann, ben, cid]) await newHolderOf(user);
      await hear({ kind: 'joined', chatId, user: person(ann) });
      await hear({ kind: 'spoke', chatId, user: person(ben) });
      await hear({ kind: 'command', chatId, isPrivate: false, user: person(cid), command: 'dice', argument: '' });
      await hear({ kind: 'spoke', chatId, user: person(bot, true) });
      const seen = await Promise.all([ann, ben, cid].map((user) => memberOf(chatId, user)));
      assert.deepEqual(
        seen.map((row) => [row?.role_ids, row?.left_at]),
        Array.from({ length: 3 }, () => [['member'], null]),
      );
      assert.deepEqual([seen[0]?.last_active_at, seen[1]?.last_active_at], [null, t.platform.clock()]);
      assert.equal(await memberOf(chatId, bot), undefined);
      await hear({ kind: 'left', chatId, user: person(ann) });
      assert.notEqual((await memberOf(chatId, ann))?.left_at, null);
    });

    it('who are looked at as soon as they join, however they came in', async () => {
      const [chatId, ann] = [await newGatedChat(), await newHolder('0')];
      telegram.host.addMember(chatId, String(ann), ['member']);
      await hear({ kind: 'joined', chatId, user: person(ann) });
      await eventually(() => !isIn(chatId, ann));
    });

    it('of whom a sweep removes the silent ones too, once they do not qualify, and only them', async () => {
      const [chatId, ann, ben] = [await newGatedChat(), await newHolder(), await newHolder()];
      for (const user of [ann, ben]) {
        telegram.host.addMember(chatId, String(user), ['member']);
        await hear({ kind: 'joined', chatId, user: person(user) });
      }
      hold(ann, '0');
      t.advanceSeconds(3600);
      const id = communityKey('telegram', chatId);
      await sweep(platform, id);
      await eventually(() => !isIn(chatId, ann));
      const ledger = async () => {
        const words = 'select user_id, action from role_ledger where community_id = $1';
        return (await t.platform.db.pool.query(words, [id])).rows;
      };
      await eventually(async () => (await ledger()).length > 0);
      assert.deepEqual(await ledger(), [{ user_id: `TEL#USER#${ann}`, action: 'revoke' }]);
      assert.notEqual((await memberOf(chatId, ann))?.left_at, null);
      assert.equal(isIn(chatId, ben), true);
      assert.equal((await memberOf(chatId, ben))?.seen_at.getTime(), t.platform.clock().getTime(), 'looked at by name');
    });

    it('of strange chats nothing is kept', async () => {
      const [chatId, ann] = [newChat(), newNumber()];
      const user = person(ann);
      await hear({ kind: 'join-requested', chatId, user, replyTo: user.id });
      await hear({ kind: 'joined', chatId, user });
      await hear({ kind: 'spoke', chatId, user });
      await hear({ kind: 'command', chatId, isPrivate: false, user, command: 'check', argument: '' });
      await hear({ kind: 'left', chatId, user });
      await hear({ kind: 'bot-removed', chatId, title: 'Cat Club', user });
      await settled();
      assert.equal(await communityOf(chatId), undefined);
      assert.equal(await memberOf(chatId, ann), undefined);
      assert.deepEqual(sentTo(ann), []);
    });
  });

  async function newHolderOf(userId: number): Promise<void> {
    await linkWallet(platform, userId);
    hold(userId, '1');
  }
});
