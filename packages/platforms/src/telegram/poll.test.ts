import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { TelegramEvent } from '@latchkey/core/ports';
import { startTelegramEmulator, type TelegramEmulator } from '@latchkey/emulators/telegram';
import { patientMs } from '@latchkey/emulators/testing';
import type { Log } from '@latchkey/kernel';
import { until } from '@latchkey/test-kit';
import { createTelegram } from './create-telegram.ts';
import { keepWebhook, webhookSecret } from './keep-webhook.ts';
import { type PollOptions, pollUpdates } from './poll.ts';

/** Makes every delay as long as possible. */
const longest = { bytes: (length: number) => new Uint8Array(length).fill(255) };

describe('polling Telegram for updates', () => {
  let emulator: TelegramEmulator;
  before(async () => {
    emulator = await startTelegramEmulator({});
  });
  after(() => emulator.stop());

  const eventually = (look: () => boolean) => until(String(look), look);

  /** Polls for a separate bot, so that tests do not receive each other's updates. */
  function start(onEvent: PollOptions['onEvent'], change: Partial<PollOptions> = {}) {
    const bot = emulator.createBot({ username: 'gate_bot' });
    const group = emulator.createGroup({ title: 'Cat Club', bot: false });
    emulator.setBot(group.id, ['can_invite_users', 'can_restrict_members'], bot);
    const lines: string[] = [];
    const write = (level: string) => (message: string, fields?: Record<string, unknown>) =>
      void lines.push(JSON.stringify({ level, message, ...fields }));
    const log: Log = {
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
      for: () => log,
    };
    const seen: TelegramEvent[] = [];
    const pauses: number[] = [];
    const ended = new AbortController();
    const run = () =>
      pollUpdates(
        {
          token: bot.token,
          apiUrl: emulator.url,
          fetch,
          clock: () => new Date(),
          callsPerSecond: 10_000,
          waitSeconds: 1,
          farewellMs: patientMs,
          log,
          onEvent: async (event, updateId) => {
            await onEvent(event, updateId);
            seen.push(event);
          },
          random: longest,
          sleep: async (ms) => {
            pauses.push(ms / 1000);
            await setImmediate();
          },
          ...change,
        },
        ended.signal,
      );
    const polling = run();
    const stop = async () => {
      ended.abort();
      await polling;
    };
    return { bot, group, lines, seen, pauses, stop, kinds: () => seen.map(({ kind }) => kind) };
  }

  it('receives joins, messages, commands and leaves, and confirms what it handled', async () => {
    const { bot, group, seen, kinds, stop } = start(async () => undefined);
    await eventually(() => kinds().includes('bot-added'));
    const ann = emulator.createUser('Ann').id;
    emulator.addMember(group.id, ann);
    emulator.speak(ann, group.id, 'hello');
    emulator.speak(ann, group.id, '/check@gate_bot');
    emulator.speak(ann, group.id, '/check@other_bot');
    emulator.speakToBot(ann, '/start -100 ', bot);
    emulator.leave(group.id, ann);
    emulator.setBot(group.id, 'left', bot);
    await eventually(() => kinds().includes('bot-removed'));
    await stop();
    assert.deepEqual(kinds(), ['bot-added', 'joined', 'spoke', 'command', 'spoke', 'command', 'left', 'bot-removed']);
    const command = seen.filter((event) => event.kind === 'command')[1];
    assert.deepEqual([command?.isPrivate, command?.command, command?.argument], [true, 'start', '-100']);
    const info = await (await fetch(`${emulator.url}/bot${bot.token}/getWebhookInfo`)).json();
    assert.equal(Object(info).result.pending_update_count, 0);
  });

  it('receives join requests, with the chat to answer them', async () => {
    const { bot, group, seen, kinds, stop } = start(async () => undefined);
    await eventually(() => kinds().includes('bot-added'));
    const request = await fetch(`${emulator.url}/bot${bot.token}/createChatInviteLink`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ chat_id: group.id, creates_join_request: true }),
    });
    const ann = emulator.createUser('Ann').id;
    emulator.join(ann, Object(await request.json()).result.invite_link);
    await eventually(() => kinds().includes('join-requested'));
    await stop();
    const id = String(ann);
    const user = { id, name: 'Ann', isBot: false };
    assert.deepEqual(seen.at(-1), { kind: 'join-requested', chatId: String(group.id), user, replyTo: id });
  });

  it('redelivers unhandled updates, in order, and nothing else', async () => {
    let failures = 2;
    const { group, seen, kinds, pauses, stop } = start(async (event) => {
      if (event.kind !== 'joined' || failures === 0) return;
      failures -= 1;
      throw new Error('The database is unavailable.');
    });
    await eventually(() => kinds().includes('bot-added'));
    const ann = emulator.createUser('Ann').id;
    emulator.addMember(group.id, ann);
    emulator.speak(ann, group.id, 'hello');
    await eventually(() => kinds().includes('spoke'));
    await stop();
    assert.deepEqual(kinds(), ['bot-added', 'joined', 'spoke']);
    assert.deepEqual(pauses, [2, 4]);
    assert.equal(seen.length, 3);
  });

  it('drops an update that always fails, once another one succeeds', async () => {
    let tries = 0;
    const { group, lines, kinds, pauses, stop } = start(async (event) => {
      if (event.kind !== 'joined') return;
      tries += 1;
      throw new Error('This update cannot be handled.');
    });
    await eventually(() => kinds().includes('bot-added'));
    const ann = emulator.createUser('Ann').id;
    emulator.addMember(group.id, ann);
    await eventually(() => tries > 8);
    assert.equal(lines.filter((line) => line.includes('"error"')).length, 0, 'it may be our own outage');
    emulator.speak(ann, group.id, 'hello');
    await eventually(() => kinds().includes('spoke'));
    await stop();
    assert.equal(lines.filter((line) => line.includes('dropping it')).length, 1);
    assert.ok(Math.max(...pauses) <= 60);
  });

  it('continues after an outage, without logging its token', async () => {
    const { bot, group, lines, kinds, stop } = start(async () => undefined);
    await eventually(() => kinds().includes('bot-added'));
    const end = emulator.misbehave({ kind: 'outage', on: 'getUpdates' });
    await eventually(() => lines.length >= 3);
    end();
    const ann = emulator.createUser('Ann').id;
    emulator.addMember(group.id, ann);
    await eventually(() => kinds().includes('joined'));
    await stop();
    assert.ok(lines.every((line) => !line.includes(bot.token)));
  });

  it('switches from a previously set webhook to polling', async () => {
    const bot = emulator.createBot({ username: 'hooked_bot' });
    await fetch(`${emulator.url}/bot${bot.token}/setWebhook?url=http://127.0.0.1:1/`);
    const received = Promise.withResolvers<void>();
    const { stop } = start(async () => received.resolve(), { token: bot.token });
    emulator.speakToBot(emulator.createUser('Ann').id, '/start', bot);
    await received.promise;
    await stop();
  });

  it('leaves the URL to one process at a time, which sets it again when it is changed elsewhere', async () => {
    const bot = emulator.createBot({ username: 'posted_bot' });
    const ended = new AbortController();
    const info = async () =>
      Object(await (await fetch(`${emulator.url}/bot${bot.token}/getWebhookInfo`)).json()).result;
    const url = 'http://127.0.0.1:1/telegram/updates';
    let isTurn = false;
    let idle = 0;
    const quiet = () => undefined;
    const lines: string[] = [];
    const log: Log = { debug: quiet, info: quiet, error: quiet, warn: (line) => void lines.push(line), for: () => log };
    const keeping = keepWebhook(
      {
        fetch,
        token: bot.token,
        apiUrl: emulator.url,
        clock: () => new Date(),
        callsPerSecond: 10_000,
        timeoutMs: patientMs,
        log,
        url,
        isTurn: async () => isTurn,
        random: longest,
        sleep: async () => {
          idle += 1;
          await setImmediate();
        },
      },
      ended.signal,
    );
    await eventually(() => idle > 2);
    assert.equal((await info()).url, '');
    isTurn = true;
    await until('the webhook URL is set', async () => (await info()).url === url);
    assert.ok((await info()).allowed_updates.includes('chat_member'));
    await fetch(`${emulator.url}/bot${bot.token}/deleteWebhook`);
    await until('it is set again', async () => (await info()).url === url);
    emulator.speakToBot(emulator.createUser('Ann').id, '/start', bot);
    await until('the failure is logged', () => lines.length > 0);
    const end = emulator.misbehave({ kind: 'outage' });
    await until('the outage is logged', () => lines.some((line) => line.includes('Could not register')));
    end();
    ended.abort();
    await keeping;
    assert.equal((await info()).url, url, 'it stays: Telegram keeps what it cannot deliver');
    assert.match(webhookSecret(bot.token), /^[\w-]{43}$/);
    assert.notEqual(webhookSecret(bot.token), webhookSecret(`${bot.token}x`));
  });

  it('does not poll while another process does', async () => {
    let isTurn = false;
    const { kinds, pauses, stop } = start(async () => undefined, { isTurn: async () => isTurn });
    await eventually(() => pauses.length >= 3);
    assert.deepEqual(kinds(), []);
    isTurn = true;
    await eventually(() => kinds().includes('bot-added'));
    await stop();
  });

  it('does not treat users in Telegram’s own messages as members', async () => {
    const { readUpdate } = await import('./read-update.ts');
    const chat = { id: -1001, type: 'supergroup', title: 'Cat Club' } as const;
    const from = { id: 777_000, is_bot: false, first_name: 'Telegram' };
    const base = { message_id: 1, date: 1, chat, from };
    const channel = { id: -1002, type: 'channel', title: 'News' } as const;
    const messages = [
      { ...base, sender_chat: channel, text: 'news' },
      { ...base, left_chat_member: from },
    ];
    for (const message of messages)
      assert.equal(readUpdate({ update_id: 1, message: { ...message } }, 'gate_bot'), undefined);
  });

  it('reports buttons pressed in private chats, and which message a command replies to', async () => {
    const { seen, bot, group, stop } = start(async () => undefined);
    const ann = emulator.createUser('Ann').id;
    emulator.addMember(group.id, ann);
    emulator.speakToBot(ann, '/start', bot);
    await eventually(() => seen.some(({ kind }) => kind === 'command'));
    const { api } = createTelegram({
      fetch,
      token: bot.token,
      apiUrl: emulator.url,
      clock: () => new Date(),
      timeoutMs: patientMs,
    });
    const buttons = [[{ text: 'Show', data: 'show:p1' }]];
    const messageId = Number(await api.post(String(ann), { text: 'look', buttons }));
    const message = emulator.sentMessages(ann).find(({ id }) => id === messageId);
    assert.ok(message);
    const pressed = emulator.press(ann, message, 'show:p1');
    await eventually(() => seen.some(({ kind }) => kind === 'pressed'));
    const press = seen.find((event) => event.kind === 'pressed');
    assert.deepEqual([press?.chatId, press?.user.id, press?.data], [String(ann), String(ann), 'show:p1']);
    await api.endPress(press?.pressId ?? '');
    await pressed;
    await api.endPress('too-old');
    const bob = emulator.createUser('Bob').id;
    emulator.addMember(group.id, bob);
    const reply = emulator.speak(bob, group.id, 'hello');
    emulator.speak(ann, group.id, '/why', reply.id);
    await eventually(() => seen.some((event) => event.kind === 'command' && event.command === 'why'));
    const command = seen.find((event) => event.kind === 'command' && event.command === 'why');
    assert.deepEqual(command?.kind === 'command' && command.replyTo, { id: String(bob), name: 'Bob', isBot: false });
    await stop();
  });
});
