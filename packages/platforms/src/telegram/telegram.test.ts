import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { inspect } from 'node:util';
import type { MemberRoles, PlatformFailed, RoleHost, TelegramApi, WriteOutcome } from '@latchkey/core/ports';
import { startTelegramEmulator, type TelegramEmulator } from '@latchkey/emulators/telegram';
import { patientMs } from '@latchkey/emulators/testing';
import type { Log } from '@latchkey/kernel';
import type { TelegramOptions } from './client.ts';
import { createTelegram } from './create-telegram.ts';
import { MemorySessions, random, serverOf } from './mtproto/testing.ts';

describe('a Telegram chat with its one role', () => {
  let emulator: TelegramEmulator;
  let host: RoleHost;
  let api: TelegramApi;
  let group: ReturnType<TelegramEmulator['createGroup']>;
  let chatId: string;
  let now = Date.parse('2026-01-01T00:00:00Z');
  const clock = () => new Date(now);
  const open = (change: Partial<TelegramOptions> = {}) =>
    createTelegram({
      token: emulator.bot.token,
      apiUrl: emulator.url,
      fetch,
      clock,
      timeoutMs: patientMs,
      callsPerSecond: 10_000,
      ...change,
    });
  const write = (userId: number, change: { add?: string[]; remove?: string[] }, through = host) =>
    through.writeMember({
      communityId: chatId,
      userId: String(userId),
      add: [],
      remove: [],
      held: [],
      reason: '',
      ...change,
    });
  const kick = (userId: number, through = host) => write(userId, { remove: ['member'] }, through);
  const newMember = () => {
    const user = emulator.createUser('Ann');
    emulator.addMember(group.id, user.id);
    return user.id;
  };
  const makeAdmin = (userId: number, ...rights: ('can_invite_users' | 'can_restrict_members')[]) =>
    group.members.set(userId, { status: 'administrator', rights: new Set(rights), promotedBy: 1 });
  const readAll = async (from: RoleHost) => {
    const pages = from.readMembers(chatId)[Symbol.asyncIterator]();
    for (const members: MemberRoles[] = []; ; ) {
      const { done, value } = await pages.next();
      if (done) return { members, end: value ?? undefined };
      members.push(...value);
    }
  };
  const statusOf = (userId: number) => emulator.statusOf(group.id, userId).status;
  const failsWith = (kind: PlatformFailed['kind'], words: RegExp) => (error: PlatformFailed) => {
    assert.equal(error.kind, kind);
    assert.match(error.message, words);
    assert.ok(!inspect(error, { depth: 9, showHidden: true }).includes(emulator.bot.token), 'it contains no token');
    return true;
  };

  before(async () => {
    emulator = await startTelegramEmulator({
      clock: () => now,
      limits: { overall: { limit: 1000, windowSeconds: 1 } },
    });
    ({ host, api } = open());
  });
  beforeEach(() => {
    now += 600_000;
    emulator.behave();
    group = emulator.createGroup({ title: 'Cat Club' });
    chatId = String(group.id);
  });
  after(() => emulator.stop());

  it('shows the chat’s photo, reads it only when it is new, and reveals the token in no failure', async () => {
    const read = (version?: string) => host.readPicture?.(chatId, version);
    assert.deepEqual(await read(), { kind: 'none' });
    const bytes = Buffer.from('a photo');
    emulator.setPhoto(group.id, bytes);
    const shown = await read();
    assert.ok(shown?.kind === 'picture');
    assert.deepEqual(Buffer.from(shown.bytes), bytes);
    assert.deepEqual(await read(shown.version), { kind: 'same' });
    emulator.setPhoto(group.id, Buffer.alloc(300_000));
    const large = await read(shown.version);
    assert.ok(large?.kind === 'picture' && large.bytes.length === 0, 'too large to be stored');
    emulator.misbehave({ kind: 'outage' });
    await assert.rejects(async () => read(), failsWith('unavailable', /Telegram/));
    emulator.behave();
    const { host: elsewhere } = open({ apiUrl: 'http://127.0.0.1:1' });
    await assert.rejects(async () => elsewhere.readPicture?.(chatId, undefined), failsWith('unavailable', /Telegram/));
  });

  it('knows one role, which is being in the chat', async () => {
    assert.deepEqual(await host.readRoles(chatId), [{ id: 'member', name: 'Member', position: 0 }]);
  });

  it('distinguishes members from non-members', async () => {
    const [member, muted, admin] = [newMember(), newMember(), newMember()];
    const [left, banned, mutedOutside] = [newMember(), newMember(), newMember()];
    const restricted = { status: 'restricted', allowed: new Set<never>(), untilSeconds: 0 } as const;
    group.members.set(muted, { ...restricted, isMember: true });
    group.members.set(mutedOutside, { ...restricted, isMember: false });
    group.members.set(banned, { status: 'kicked', untilSeconds: 0 });
    emulator.leave(group.id, left);
    makeAdmin(admin);
    const rolesOf = async (id: number) => (await host.readMember(chatId, String(id)))?.roleIds;
    for (const id of [member, muted, admin]) assert.deepEqual(await rolesOf(id), ['member']);
    for (const id of [left, banned, mutedOutside, 4_242]) assert.equal(await rolesOf(id), undefined);
    assert.equal((await host.readMember(chatId, String(admin)))?.isProtected, true);
    assert.equal((await host.readMember(chatId, String(member)))?.isProtected, false);
  });

  it('lists only the administrators, as Telegram does, and reports that', async () => {
    newMember();
    makeAdmin(newMember());
    const { members, end } = await readAll(host);
    assert.equal(host.listsEveryone, false);
    assert.equal(end?.isComplete, false);
    assert.match(end?.reason ?? '', /LATCHKEY_TELEGRAM_API_ID/);
    assert.deepEqual(
      members.map(({ isBot, isProtected }) => [isBot, isProtected]),
      [
        [false, true],
        [true, true],
        [false, true],
      ],
    );
  });

  it('lists every member where an application is set up, and falls back to known members when that fails', async () => {
    const mtproto = await emulator.openMtproto();
    const { apiId, apiHash } = mtproto;
    const warnings: unknown[] = [];
    const ignore = () => undefined;
    const warn = (...words: unknown[]) => void warnings.push(words);
    const log: Log = { debug: ignore, info: ignore, warn, error: ignore, for: () => log };
    const listing = { apiId, apiHash, random, connect, server: serverOf(mtproto), sessions: new MemorySessions(), log };
    const listed = createTelegram(
      { fetch, token: emulator.bot.token, apiUrl: emulator.url, clock, callsPerSecond: 10_000 },
      listing,
    );
    const silent = newMember();
    const all = await readAll(listed.host);
    assert.deepEqual(all.end, { isComplete: true });
    assert.ok(all.members.some(({ userId }) => userId === String(silent)));
    assert.equal(warnings.length, 0);
    emulator.misbehave({ kind: 'rate-limit', on: 'channels.getParticipants', retryAfterSeconds: 60 });
    const known = await readAll(listed.host);
    assert.deepEqual([known.members.length, known.end?.isComplete], [2, false]);
    assert.match(known.end?.reason ?? '', /Rate-limited/);
    assert.equal(warnings.length, 1);
    emulator.setBot(group.id, 'kicked');
    await assert.rejects(readAll(listed.host), failsWith('unknown-community', /not in this chat/));
  });

  it('treats the owner, and admins who may add and remove members, as managing the chat', async () => {
    const [member, admin, keeper] = [newMember(), newMember(), newMember()];
    makeAdmin(admin, 'can_invite_users');
    makeAdmin(keeper, 'can_invite_users', 'can_restrict_members');
    const owner = [...group.members].find(([, { status }]) => status === 'creator')?.[0];
    const administers = (id: number | undefined) => host.administers?.(chatId, String(id));
    assert.deepEqual(await Promise.all([member, admin, keeper, owner].map(administers)), [false, false, true, true]);
    assert.equal(await host.findOwner?.(chatId), String(owner));
    await assert.rejects(
      async () => host.administers?.('-100777', '1'),
      failsWith('unknown-community', /not in this chat/),
    );
  });

  it('approves the requester, with one call, and reports when no request is pending', async () => {
    const ann = emulator.createUser('Ann').id;
    group.requests.set(ann, undefined);
    assert.deepEqual(await write(ann, { add: ['member'] }), { kind: 'written', roleIds: ['member'], calls: 1 });
    assert.deepEqual(await write(ann, { add: ['member'] }), { kind: 'written', roleIds: ['member'], calls: 0 });
    assert.deepEqual(await write(emulator.createUser('Ben').id, { add: ['member'] }), { kind: 'gone' });
    const other = await write(ann, { add: ['gold'] });
    assert.ok(other.kind === 'forbidden' && other.roleId === 'gold' && other.fault === 'missing');
  });

  it('declines the requester, with one call, and leaves all other members alone', async () => {
    const [ann, ben] = [emulator.createUser('Ann').id, newMember()];
    group.requests.set(ann, undefined);
    const decline = { remove: ['member'], isJoinRequest: true };
    assert.deepEqual(await write(ann, decline), { kind: 'written', roleIds: [], calls: 1, hasLeft: true });
    assert.equal(group.requests.has(ann), false);
    assert.deepEqual(await write(ann, decline), { kind: 'gone' });
    assert.equal((await write(ben, decline)).kind, 'gone');
    assert.equal(statusOf(ben), 'member');
  });

  it('detects a bot without rights, and roles that no chat has', async () => {
    assert.deepEqual(await host.findFaults?.(chatId, ['member']), []);
    assert.deepEqual(
      (await host.findFaults?.(chatId, ['member', 'gold']))?.map(({ roleId, fault }) => [roleId, fault]),
      [['gold', 'missing']],
    );
    emulator.setBot(group.id, 'member');
    assert.deepEqual(
      (await host.findFaults?.(chatId, ['member']))?.map(({ scope, fault }) => [scope, fault]),
      [['community', 'permission']],
    );
  });

  it('removes a member who stays free to come back', async () => {
    const ann = newMember();
    assert.deepEqual(await kick(ann), { kind: 'written', roleIds: [], calls: 2, hasLeft: true });
    assert.equal(statusOf(ann), 'left');
    assert.deepEqual(await kick(ann), { kind: 'gone' });
    const link = await api.createInvite(chatId, { name: 'for ann', expiresAt: new Date(now + 60_000) });
    assert.equal(emulator.join(ann, link), 'joined');
  });

  it('leaves no ban behind even when the unban is lost, and lifts no ban by an admin', async () => {
    const [ann, ben] = [newMember(), newMember()];
    const end = emulator.misbehave({ kind: 'outage', on: 'unbanChatMember' });
    assert.equal((await kick(ann)).kind, 'failed');
    assert.equal(statusOf(ann), 'kicked');
    end();
    now += 301_000;
    assert.equal(statusOf(ann), 'left');
    group.members.set(ben, { status: 'kicked', untilSeconds: 0 });
    assert.deepEqual(await kick(ben), { kind: 'gone' });
    assert.equal(statusOf(ben), 'kicked');
  });

  it('an administrator is skipped, and does not block the others', async () => {
    const admin = newMember();
    makeAdmin(admin);
    emulator.resetCounts();
    const outcome = await kick(admin);
    assert.ok(outcome.kind === 'forbidden' && outcome.scope === 'change');
    assert.match(outcome.advice, /does not let bots remove administrators/);
    assert.equal(emulator.counts().byMethod.banChatMember, undefined);
    assert.equal((await kick(newMember())).kind, 'written');
  });

  it('says what to do when the bot lacks a right, is out of the chat or has no valid token', async () => {
    const ann = newMember();
    const adviceOf = (outcome: WriteOutcome) => (outcome.kind === 'forbidden' ? outcome.advice : outcome.kind);
    emulator.setBot(group.id, ['can_invite_users']);
    assert.match(adviceOf(await kick(ann)), /Make the bot an administrator .* ban users/);
    assert.deepEqual(await api.missingRights(chatId), ['ban users', 'manage tags']);
    emulator.setBot(group.id, 'member');
    assert.match(adviceOf(await kick(ann)), /Make the bot an administrator/);
    await assert.rejects(host.readMember(chatId, String(ann)), failsWith('forbidden', /Make the bot an administrator/));
    assert.deepEqual(await api.missingRights(chatId), [
      'be an administrator',
      'invite users',
      'ban users',
      'manage tags',
    ]);
    emulator.setBot(group.id, 'kicked');
    assert.match(adviceOf(await kick(ann)), /not in this chat/);
    const wrong = open({ token: '1:wrong' }).api;
    await assert.rejects(wrong.botName(), failsWith('not-configured', /LATCHKEY_TELEGRAM_BOT_TOKEN/));
  });

  it('sends nothing while rate-limited by Telegram', async () => {
    const ann = newMember();
    emulator.misbehave({ kind: 'rate-limit', retryAfterSeconds: 40, count: 1 });
    assert.deepEqual(await kick(ann), { kind: 'failed', reason: 'Rate-limited by Telegram.', retryAfterSeconds: 40 });
    emulator.resetCounts();
    now += 30_000;
    assert.deepEqual(await kick(ann), { kind: 'failed', reason: 'Rate-limited by Telegram.', retryAfterSeconds: 10 });
    await assert.rejects(api.botName(), failsWith('unavailable', /Rate-limited/));
    assert.equal(emulator.counts().requests, 0);
    now += 10_000;
    assert.equal((await kick(ann)).kind, 'written');
  });

  it('stays below Telegram’s limit for many concurrent requests', async () => {
    const ann = newMember();
    const waitsMs: number[] = [];
    const paceTime = {
      nowMs: () => 0,
      sleep: async (ms: number) => void waitsMs.push(ms),
    };
    const paced = open({ callsPerSecond: 100, paceTime }).host;
    emulator.resetCounts();
    await Promise.all(Array.from({ length: 40 }, () => paced.readMember(chatId, String(ann))));
    assert.deepEqual(
      waitsMs,
      Array.from({ length: 39 }, (_, index) => 10 * (index + 1)),
    );
    assert.equal(emulator.counts().requests, 40);
  });

  it('detects lost writes by reading back', async () => {
    const [ann, ben] = [newMember(), emulator.createUser('Ben').id];
    group.requests.set(ben, undefined);
    const end = emulator.misbehave({ kind: 'lost-write' });
    assert.equal((await kick(ann)).kind, 'failed');
    assert.equal((await write(ben, { add: ['member'] })).kind, 'failed');
    end();
    assert.equal((await kick(ann)).kind, 'written');
    assert.equal((await write(ben, { add: ['member'] })).kind, 'written');
  });

  it('reports failed, not gone, while Telegram is down, hanging or broken', async () => {
    const ann = newMember();
    for (const fault of [{ kind: 'outage' }, { kind: 'hang' }, { kind: 'error', status: 500 }] as const) {
      const end = emulator.misbehave(fault);
      const asking = fault.kind === 'hang' ? open({ timeoutMs: 500 }).host : host;
      assert.equal((await kick(ann, asking)).kind, 'failed');
      await assert.rejects(asking.readMember(chatId, String(ann)), failsWith('unavailable', /^Telegram /));
      end();
    }
    const nowhere = open({ apiUrl: 'http://127.0.0.1:1' }).host;
    await assert.rejects(
      nowhere.readMember(chatId, String(ann)),
      failsWith('unavailable', /^Telegram is not responding\.$/),
    );
  });

  it('an aborted call ends with the reason of the abort', async () => {
    emulator.misbehave({ kind: 'hang' });
    const giveUp = new AbortController();
    const request = host.readMember(chatId, '1', giveUp.signal);
    giveUp.abort(new Error('The worker stops.'));
    await assert.rejects(request, /^Error: The worker stops\.$/);
  });

  it('creates single-use invitations', async () => {
    const link = await api.createInvite(chatId, { name: 'n'.repeat(99), expiresAt: new Date(now + 900_000) });
    assert.equal(emulator.join(emulator.createUser('Ann').id, link), 'joined');
    assert.throws(() => emulator.join(emulator.createUser('Ben').id, link), /expired/);
    emulator.setBot(group.id, ['can_restrict_members']);
    const again = api.createInvite(chatId, { name: 'x', expiresAt: new Date(now + 900_000) });
    await assert.rejects(again, failsWith('forbidden', /invite/));
  });

  it('messages users who wrote to it, and reports forbidden for others', async () => {
    const [ann, ben] = [emulator.createUser('Ann').id, emulator.createUser('Ben').id];
    emulator.speakToBot(ann, '/start');
    await api.send(String(ann), 'Hello.', { text: 'Link a wallet', url: 'https://latchkey.test/' });
    assert.equal(emulator.sentMessages(ann)[0]?.text, 'Hello.');
    await assert.rejects(api.send(String(ben), 'Hello.'), failsWith('forbidden', /can't initiate conversation/));
  });

  it('shows a message to one member alone, where the server and the chat have such messages, and posts it nowhere else', async () => {
    const [ann, ben] = [newMember(), newMember()];
    const shown = (userId: number) => emulator.ephemeralMessages(group.id, userId).map(({ text }) => text);
    const posted = () => emulator.sentMessages(group.id).filter(({ id }) => group.messages.has(id));
    const before = posted().length;
    // The first message is two, and a chat gets one a second.
    await assert.rejects(api.whisper(chatId, String(ann), 'You hold 2'), failsWith('unavailable', /Rate-limited/));
    now += 60_000;
    const { perChat } = emulator.limits;
    emulator.limits.perChat = { limit: 1_000, windowSeconds: 1 };
    assert.equal(await api.whisper(chatId, String(ann), 'You hold 3'), true);
    assert.equal(await api.whisper(chatId, String(ben), 'You hold 4'), true);
    assert.deepEqual([shown(ann), shown(ben)], [['You hold 3'], ['You hold 4']]);
    const stranger = emulator.createUser('Mallory').id;
    assert.equal(await api.whisper(chatId, String(stranger), 'You hold 5'), false);
    emulator.setBot(group.id, 'member');
    assert.equal(await api.whisper(chatId, String(ann), 'You hold 6'), false);
    emulator.setBot(group.id, ['can_invite_users', 'can_restrict_members']);
    emulator.setEphemeral(false);
    // What a server before 10.2 posts for everyone says nothing, and is deleted.
    const { api: fresh } = open();
    for (let times = 0; times < 2; times += 1)
      assert.equal(await fresh.whisper(chatId, String(ann), 'You hold 7'), false);
    assert.equal(await api.whisper(chatId, String(ann), 'You hold 8'), false);
    emulator.setEphemeral(true);
    assert.equal(posted().length, before);
    const said = emulator.sentMessages(group.id).map(({ text }) => text);
    assert.deepEqual(
      said.slice(-2),
      ['…', 'You hold 8'],
      'only a server that was replaced by an older one is told more',
    );
    const end = emulator.misbehave({ kind: 'outage', on: 'sendMessage' });
    await assert.rejects(open().api.whisper(chatId, String(ann), 'x'), failsWith('unavailable', /not responding/));
    end();
    emulator.limits.perChat = perChat;
  });

  it('reads the other chat of a channel and its discussion group, and its name where the bot is in it', async () => {
    const channel = emulator.createGroup({ title: 'Cat News', type: 'channel', bot: false });
    assert.equal(await api.readLinkedChat(chatId), undefined);
    emulator.linkChats(channel.id, group.id);
    assert.deepEqual(await api.readLinkedChat(chatId), { chatId: String(channel.id), isChannel: true });
    emulator.setBot(channel.id, ['can_invite_users']);
    const named = { chatId: String(channel.id), isChannel: true, title: 'Cat News' };
    assert.deepEqual(await api.readLinkedChat(chatId), named);
    assert.deepEqual(await api.readLinkedChat(String(channel.id)), { chatId, isChannel: false, title: group.title });
  });

  it('posts a message with buttons and edits it; an unchanged or deleted one is left alone', async () => {
    const person = emulator.createUser('Ann').id;
    emulator.speakToBot(person, '/start');
    const buttons = [[{ text: 'Approve', data: 'approve:p1:12' }], [{ text: 'Open', url: 'https://t.me/gate_bot' }]];
    const id = await api.post(String(person), { text: '12 members lose Gold', buttons });
    const sent = () => emulator.sentMessages(person).at(-1);
    assert.deepEqual(sent()?.replyMarkup, {
      inline_keyboard: [
        [{ text: 'Approve', callback_data: 'approve:p1:12' }],
        [{ text: 'Open', url: 'https://t.me/gate_bot' }],
      ],
    });
    const later = () => {
      now += 60_000;
      return String(person);
    };
    for (let times = 0; times < 2; times += 1) await api.edit(later(), id, { text: 'Approved by Ann', buttons: [] });
    assert.equal(sent()?.text, 'Approved by Ann');
    await api.edit(later(), '999', { text: 'gone', buttons: [] });
    emulator.blockBot(person);
    await assert.rejects(api.post(later(), { text: 'again', buttons: [] }), failsWith('forbidden', /blocked/));
  });
});
