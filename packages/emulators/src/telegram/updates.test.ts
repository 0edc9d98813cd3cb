import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { GrammyError, webhookCallback } from 'grammy';
import { close, listen } from '../http/listen.ts';
import { botOf, emulatorFor, eventually, refused } from './testing.ts';

test('a webhook gets each update once, in order and with its secret, also after failures', async (t) => {
  const emulator = await emulatorFor(t, { webhookPauseMs: 5 });
  const bot = botOf(emulator);
  const texts: string[] = [];
  bot.on('message:text', (ctx) => {
    texts.push(ctx.msg.text);
  });
  let failures = 2;
  const handle = webhookCallback(bot, 'http', { secretToken: 'se-cret' });
  const server = createServer((request, response) => {
    failures -= 1;
    if (failures >= 0) response.writeHead(500).end();
    else void handle(request, response);
  });
  const url = `http://${await listen(server, 0, '127.0.0.1')}/hook`;
  t.after(() => close(server));
  await bot.api.setWebhook(url, { secret_token: 'se-cret' });
  const ann = emulator.createUser('Ann').id;
  for (const text of ['one', 'two', 'three']) emulator.speakToBot(ann, text);
  await eventually(() => texts.length === 3);
  assert.deepEqual(texts, ['one', 'two', 'three']);
  const { last_error_message, url: known } = await bot.api.getWebhookInfo();
  assert.deepEqual([known, last_error_message], [url, 'Wrong response from the webhook: 500 Internal Server Error']);
  await assert.rejects(bot.api.getUpdates(), refused(409, /webhook is active/));
  await bot.api.deleteWebhook();
  emulator.speakToBot(ann, 'four');
  assert.equal((await bot.api.getUpdates())[0]?.message?.text, 'four');
});

test('updates are kept until confirmed, by kind, and a second poller ends the first', async (t) => {
  const emulator = await emulatorFor(t);
  const group = emulator.createGroup({ title: 'Cat Club' });
  const { api } = botOf(emulator);
  const ann = emulator.createUser('Ann').id;
  await api.getUpdates({ offset: -1 });
  await api.getUpdates({ offset: 2_000_000_000 });
  emulator.addMember(group.id, ann);
  assert.deepEqual(
    (await api.getUpdates()).map((update) => Object.keys(update)[1]),
    ['message'],
  );
  await api.getUpdates({ offset: 2_000_000_000, allowed_updates: ['chat_member'] });
  emulator.leave(group.id, ann);
  const [update, ...others] = await api.getUpdates();
  assert.deepEqual([update?.chat_member?.new_chat_member.status, others.length], ['left', 0]);
  assert.equal((await api.getUpdates())[0]?.update_id, update?.update_id);
  assert.deepEqual(await api.getUpdates({ offset: (update?.update_id ?? 0) + 1 }), []);
  const polls = [api.getUpdates({ timeout: 30 }), api.getUpdates({ timeout: 30 })];
  await assert.rejects(Promise.race(polls), refused(409, /terminated by other getUpdates request/));
  emulator.addMember(group.id, ann);
  const ended = await Promise.allSettled(polls);
  assert.deepEqual(ended.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
});

test('limits are per bot, per chat and per group, and say how long to wait', async (t) => {
  const time = { nowMs: Date.parse('2026-01-01T00:00:00Z') };
  const emulator = await emulatorFor(t, {
    clock: () => time.nowMs,
    limits: { perChat: { limit: 1, windowSeconds: 1 } },
  });
  const group = emulator.createGroup({ title: 'Cat Club' });
  const { api } = botOf(emulator);
  const waits = (seconds: number) => (error: unknown) => {
    assert.ok(error instanceof GrammyError);
    assert.deepEqual([error.error_code, error.parameters.retry_after], [429, seconds]);
    return true;
  };
  for (let sent = 0; sent < 20; sent += 1) {
    await api.sendMessage(group.id, `${sent}`);
    time.nowMs += 1000;
  }
  await assert.rejects(api.sendMessage(group.id, 'too many'), waits(40));
  time.nowMs += 40_000;
  await api.sendMessage(group.id, 'again');
  await assert.rejects(api.sendMessage(group.id, 'too soon'), waits(1));
  time.nowMs += 1000;
  for (let requested = 0; requested < 30; requested += 1) await api.getChat(group.id);
  await assert.rejects(api.getChat(group.id), waits(1));
  assert.equal(emulator.counts().rateLimited, 3);
});

test('faults are triggered on command: lost writes, refusals, bad gateways, disconnects', async (t) => {
  const emulator = await emulatorFor(t);
  const group = emulator.createGroup({ title: 'Cat Club' });
  const { api } = botOf(emulator);
  const ann = emulator.createUser('Ann').id;
  emulator.addMember(group.id, ann);
  emulator.misbehave({ kind: 'lost-write', on: 'banChatMember', count: 1 });
  assert.equal(await api.banChatMember(group.id, ann), true);
  assert.equal(emulator.statusOf(group.id, ann).status, 'member');
  assert.equal(emulator.counts().lostWrites, 1);
  emulator.misbehave({ kind: 'rate-limit', retryAfterSeconds: 7, count: 1 });
  await assert.rejects(api.getMe(), refused(429, /retry after 7/));
  emulator.misbehave({ kind: 'error', count: 1 });
  await assert.rejects(api.getMe(), refused(502, /Bad Gateway/));
  emulator.misbehave({ kind: 'outage', count: 1 });
  await assert.rejects(api.getMe(), /Network request/);
  assert.equal((await api.getMe()).id, emulator.bot.user.id);
});

test('methods are reached by GET and by forms too, whatever the case of their name', async (t) => {
  const emulator = await emulatorFor(t);
  const group = emulator.createGroup({ title: 'Cat Club', username: 'catclub' });
  const at = `${emulator.url}/bot${emulator.bot.token}`;
  const viaGet = await (await fetch(`${at}/SENDMESSAGE?chat_id=@CatClub&text=hi`)).json();
  assert.deepEqual([viaGet.ok, viaGet.result.chat.id], [true, group.id]);
  const keyboard = JSON.stringify({ inline_keyboard: [[{ text: 'Go', callback_data: 'go' }]] });
  const body = new URLSearchParams({ chat_id: String(group.id), text: 'form', reply_markup: keyboard });
  const viaForm = await (await fetch(`${at}/sendMessage`, { method: 'POST', body })).json();
  assert.equal(viaForm.result.reply_markup.inline_keyboard[0][0].callback_data, 'go');
  const useless = JSON.stringify({ inline_keyboard: [[{ text: 'Go' }]] });
  const bad = new URLSearchParams({ chat_id: String(group.id), text: 'form', reply_markup: useless });
  assert.equal((await (await fetch(`${at}/sendMessage`, { method: 'POST', body: bad })).json()).error_code, 400);
  assert.equal((await fetch(`${at}/getChatMembers`)).status, 404, 'there is no list of members');
  const [shown] = await (await fetch(`${emulator.controlUrl}/chats`)).json();
  assert.deepEqual(
    shown.members.map(({ status }: { status: string }) => status),
    ['creator', 'administrator'],
  );
});

test('with privacy mode a plain member bot sees commands and replies, and little else', async (t) => {
  const emulator = await emulatorFor(t);
  const group = emulator.createGroup({ title: 'Cat Club', bot: [] });
  const { api } = botOf(emulator);
  const ann = emulator.createUser('Ann').id;
  emulator.addMember(group.id, ann);
  await api.getUpdates({ offset: 2_000_000_000 });
  const request = await api.sendMessage(group.id, 'Any questions?');
  emulator.speak(ann, group.id, 'gossip');
  emulator.speak(ann, group.id, '/help');
  emulator.speak(ann, group.id, 'yes', request.message_id);
  assert.deepEqual(
    (await api.getUpdates()).map(({ message }) => message?.text),
    ['/help', 'yes'],
  );
});

test('an upgraded group has a new id and the same members, says so in both chats, and refuses calls to the old one', async (t) => {
  const emulator = await emulatorFor(t);
  const group = emulator.createGroup({ title: 'Cat Club', type: 'group' });
  const { api } = botOf(emulator);
  const ann = emulator.createUser('Ann').id;
  emulator.addMember(group.id, ann);
  await api.getUpdates({ offset: 2_000_000_000 });
  const supergroup = emulator.upgrade(group.id);
  const [first, second, ...others] = (await api.getUpdates()).map(({ message }) => message);
  assert.deepEqual([first?.chat.id, first?.migrate_to_chat_id], [group.id, supergroup.id]);
  assert.deepEqual([second?.chat.id, second?.migrate_from_chat_id], [supergroup.id, group.id]);
  assert.deepEqual([second?.chat.type, others], ['supergroup', []]);
  assert.equal((await api.getChatMember(supergroup.id, ann)).status, 'member');
  await assert.rejects(
    api.getChat(group.id),
    (error) => error instanceof GrammyError && error.parameters.migrate_to_chat_id === supergroup.id,
  );
  assert.throws(() => emulator.upgrade(group.id), /Only a group/);
});
