import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { type MemberRoles, PlatformFailed, type TelegramEvent } from '@latchkey/core/ports';
import { startTelegramEmulator } from '@latchkey/emulators/telegram';
import { patientMs } from '@latchkey/emulators/testing';
import type { Log } from '@latchkey/kernel';
import { fuzzAnswers, startAnswerProxy, volume } from '@latchkey/test-kit';
import { createTelegram } from './create-telegram.ts';
import { Inbox } from './poll.ts';

const ample = { limit: 1_000_000, windowSeconds: 1 };

async function start(t: TestContext) {
  const emulator = await startTelegramEmulator({ limits: { overall: ample } });
  t.after(() => emulator.stop());
  const proxy = await startAnswerProxy(emulator.url);
  t.after(() => proxy.stop());
  const { host } = createTelegram({
    fetch,
    token: emulator.bot.token,
    apiUrl: proxy.url,
    clock: () => new Date(),
    timeoutMs: patientMs,
    callsPerSecond: 1_000_000,
  });
  const group = emulator.createGroup({ title: 'Cat Club' });
  const [member, admin] = ['Ann', 'Bob'].map((name) => {
    const user = emulator.createUser(name);
    emulator.addMember(group.id, user.id);
    return user.id;
  }) as [number, number];
  const rights = new Set(['can_invite_users', 'can_restrict_members'] as const);
  group.members.set(admin, { status: 'administrator', rights, promotedBy: 1 });
  return { proxy, host, chatId: String(group.id), member: String(member), admin: String(admin) };
}

async function outcomeOf<Value>(read: Promise<Value> | undefined): Promise<Value | 'unknown' | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof PlatformFailed && error.kind === 'unavailable') return 'unknown';
    throw error;
  }
}

test('however Telegram’s response is corrupted, the result is right or unknown', async (t) => {
  const { proxy, host, chatId, member, admin } = await start(t);
  const { intercept } = proxy;
  const rounds = volume(60, 2_000);
  const optional = ['username', 'first_name'];
  const isRight = (got: unknown, truth: unknown) => got === 'unknown' || isDeepStrictEqual(got, truth);
  const essence = (one: MemberRoles | undefined) => one && [one.userId, one.roleIds, one.isBot, one.isProtected];
  for (const userId of [member, admin])
    await fuzzAnswers({
      name: `telegram member ${userId}`,
      rounds,
      intercept,
      optional,
      read: () => outcomeOf(host.readMember(chatId, userId).then(essence)),
      isRight,
    });
  await fuzzAnswers({
    name: 'telegram powers',
    rounds,
    intercept,
    optional,
    read: async () => [
      await outcomeOf(host.administers?.(chatId, admin)),
      await outcomeOf(host.findOwner?.(chatId)),
      await outcomeOf(host.findFaults?.(chatId, ['member'])),
    ],
    isRight: (got, truth) => got.every((one, place) => isRight(one, truth[place])),
  });
});

const chat = { id: -100, type: 'supergroup', title: 'Cat Club' };
const user = { id: 7, is_bot: false, first_name: 'Ann', username: 'ann' };
const recorded = [
  {
    chat_member: {
      chat,
      from: user,
      old_chat_member: { user, status: 'member' },
      new_chat_member: { user, status: 'left' },
    },
  },
  { my_chat_member: { chat, from: user, new_chat_member: { user: { ...user, is_bot: true }, status: 'member' } } },
  { chat_join_request: { chat, from: user, user_chat_id: 7 } },
  { message: { chat, from: user, text: '/roles now', message_id: 1 } },
  { message: { chat, message_id: 2, migrate_to_chat_id: -1001 } },
  { callback_query: { id: 'press', from: user, message: { chat: { id: 7, type: 'private' } }, data: 'approve' } },
];
const quiet = () => undefined;
const log: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet, for: () => log };

/** Returns how an inbox handles a batch: its events, and whether it can continue. */
async function takeIn(updates: unknown) {
  const events: TelegramEvent[] = [];
  const inbox = new Inbox({ log, botName: 'gate_bot', onEvent: async (event) => void events.push(event) });
  const failure = await inbox.handle(updates).then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(failure === undefined || failure instanceof PlatformFailed, String(failure));
  return { events, offset: inbox.offset };
}

test('a malformed update is dropped, and the following ones are handled at once', async () => {
  const good = { update_id: 3, ...recorded[2] };
  const { events, offset } = await takeIn([{ update_id: 1, chat_member: { chat } }, { message: {} }, good]);
  assert.deepEqual([events.map(({ kind }) => kind), offset], [['join-requested'], 4]);
  assert.deepEqual(await takeIn([{ message: {} }]), { events: [], offset: 0 });
});

test('however Telegram updates are corrupted, they are read correctly or dropped', async () => {
  const batch = recorded.map((update, place) => ({ update_id: place + 1, ...update }));
  let change: ((body: unknown) => unknown) | undefined;
  await fuzzAnswers({
    name: 'telegram updates',
    rounds: volume(400, 20_000),
    intercept: (next) => {
      change = next;
    },
    read: () => takeIn(change === undefined ? batch : change(batch)),
    isRight: (got, truth) =>
      got.events.every((event) => truth.events.some((known) => isDeepStrictEqual(known, event))) &&
      new Set(got.events.map((event) => JSON.stringify(event))).size === got.events.length,
    // Without these fields, a message is not a command, a press means nothing, and the other name is used.
    optional: ['text', 'data', 'username', 'first_name', 'title', 'migrate_to_chat_id'],
  });
});
