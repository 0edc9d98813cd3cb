import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { countInteractions } from '../../communities/usage/index.ts';
import { PlatformFailed, type TelegramEvent, type TelegramWebhook } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { communityKey } from '../../shared/qualified-ids.ts';
import { checkTelegramUpdates, takePostedUpdate, takeTelegramUpdate } from './check-updates.ts';
import { TelegramWorld } from './testing-world.ts';
import { deleteOldUpdates } from './updates.ts';

const bot = 'bot-1';

describe('a Telegram update', () => {
  let w: TelegramWorld;
  let updateId = 700;
  before(async () => {
    w = await TelegramWorld.open('telegram-updates');
  });
  after(() => w.close());

  const newId = () => {
    updateId += 1;
    return { bot, updateId };
  };
  const messages = (chatId: string) =>
    countInteractions(w.services.db.system, communityKey('telegram', chatId), 'message');
  const spoke = (chatId: string, name?: string): TelegramEvent => {
    const user = w.person(w.newNumber());
    return { kind: 'spoke', chatId, user: { ...user, name: name ?? user.name } };
  };

  it('that arrives many times concurrently, in several processes, counts once', async () => {
    const chatId = await w.newGatedChat();
    const [id, event] = [newId(), spoke(chatId)];
    await Promise.all(Array.from({ length: 8 }, () => takeTelegramUpdate(w.ctx, id, event)));
    await takeTelegramUpdate(w.ctx, id, event);
    assert.equal(await messages(chatId), 1);
    await takeTelegramUpdate(w.ctx, { ...id, bot: 'bot-2' }, event);
    assert.equal(await messages(chatId), 2, 'another bot has its own update ids');
  });

  it('that was already answered is not answered again', async () => {
    const [id, ann] = [newId(), w.newNumber()];
    const user = w.person(ann);
    const given = {
      kind: 'command',
      chatId: String(ann),
      isPrivate: true,
      user,
      command: 'connect',
      argument: '',
    } as const;
    await takeTelegramUpdate(w.ctx, id, given);
    await w.settled();
    const sent = w.sentTo(ann).length;
    assert.ok(sent > 0);
    await takeTelegramUpdate(w.ctx, id, given);
    await w.settled();
    assert.equal(w.sentTo(ann).length, sent);
  });

  it('is fully handled by the next process if one was killed in the middle', async () => {
    const chatId = await w.newGatedChat();
    const [id, event] = [newId(), spoke(chatId)];
    const { db } = w.ctx;
    const killed: Context = {
      ...w.ctx,
      db: {
        ...db,
        transaction: (tenant, work) =>
          db.transaction(tenant, async (tx) => {
            await work(tx);
            throw new Error('killed before the commit');
          }),
      },
    };
    await assert.rejects(takeTelegramUpdate(killed, id, event), /killed/);
    assert.equal(await messages(chatId), 0);
    await takeTelegramUpdate(w.ctx, id, event);
    assert.equal(await messages(chatId), 1);
  });

  it('that was posted and always fails is dropped after a few attempts, and logged once', async () => {
    const chatId = await w.newGatedChat();
    // PostgreSQL does not store NUL in a text.
    const [id, poison] = [newId(), spoke(chatId, 'a\0b')];
    for (let tries = 1; tries < 5; tries += 1)
      await assert.rejects(takePostedUpdate(w.ctx, id, poison), { code: 'UNAVAILABLE' });
    await takePostedUpdate(w.ctx, id, poison);
    await takePostedUpdate(w.ctx, id, poison);
    await takePostedUpdate(w.ctx, newId(), spoke(chatId));
    assert.equal(await messages(chatId), 1);
  });

  it('is remembered for as long as Telegram may offer it', async () => {
    const { db, clock } = w.services;
    const inHours = (hours: number) => new Date(clock().getTime() + hours * 3_600_000);
    const id = newId();
    await takeTelegramUpdate(w.ctx, id, spoke(w.newChat()));
    assert.equal(await deleteOldUpdates(db.system, inHours(47), 1_000), 0);
    assert.ok((await deleteOldUpdates(db.system, inHours(49), 1_000)) > 0);
  });
});

describe('the status of Telegram’s webhook', () => {
  const now = new Date('2026-05-01T12:00:00Z');
  const baseUrl = 'https://latchkey.example';
  const url = `${baseUrl}/telegram/updates`;

  function check(webhook: TelegramWebhook | Error, telegramUpdates: 'poll' | 'webhook' = 'webhook') {
    const readWebhook = async () => {
      if (webhook instanceof Error) throw webhook;
      return webhook;
    };
    const settings = {
      baseUrl,
      serviceName: 'Latchkey',
      discordClientId: undefined,
      walletChainId: 1,
      telegramUpdates,
    };
    return checkTelegramUpdates({ clock: () => now, settings, telegram: { ...unused, readWebhook } });
  }

  const never = () => assert.fail('Only the webhook is asked for.');
  const unused = {
    botName: never,
    missingRights: never,
    createInvite: never,
    revokeInvite: never,
    readGuard: never,
    readLinkedChat: never,
    whisper: never,
    openJoinPage: never,
    queueJoinRequest: never,
    readInitData: never,
    send: never,
    post: never,
    edit: never,
    pin: never,
    endPress: never,
    setCommands: never,
  };

  it('is shown with the URL, pending updates and the last error', async () => {
    const message = 'Wrong response from the webhook: 502 Bad Gateway';
    const at = new Date(now.getTime() - 60_000);
    assert.deepEqual(await check({ url, waiting: 0 }), {
      state: 'ok',
      summary: `Telegram posts updates to ${url}; 0 are waiting.`,
    });
    const failing = await check({ url, waiting: 3, lastError: { message, at } });
    assert.equal(failing?.state, 'failing');
    assert.match(failing?.summary ?? '', /latchkey\.example\/telegram\/updates.*11:59:00.*502 Bad Gateway.*waiting: 3/);
    assert.equal((await check({ url, waiting: 0, lastError: { message, at } }))?.state, 'attention');
    const old = new Date(now.getTime() - 3_600_000);
    assert.equal((await check({ url, waiting: 0, lastError: { message, at: old } }))?.state, 'ok');
  });

  it('is failing where Telegram posts elsewhere or nowhere, without the path of that URL', async () => {
    const elsewhere = await check({ url: 'https://other.example/bot123:token', waiting: 0 });
    assert.equal(elsewhere?.state, 'failing');
    assert.match(elsewhere?.summary ?? '', /https:\/\/other\.example,/);
    assert.ok(!elsewhere?.summary.includes('token'));
    assert.equal((await check({ url: undefined, waiting: 0 }))?.state, 'failing');
  });

  it('is unknown, not failing, while Telegram does not respond, and not checked where a worker polls', async () => {
    const failed = new PlatformFailed('unavailable', 'Telegram is not responding.');
    assert.equal((await check(failed))?.state, 'attention');
    assert.equal(await check(failed, 'poll'), undefined);
  });
});
