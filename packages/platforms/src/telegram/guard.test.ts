import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTelegramEmulator } from '@latchkey/emulators/telegram';
import { tagRoleId } from '@latchkey/kernel';
import { createTelegram } from './create-telegram.ts';
import type { ChatRecords } from './guard.ts';
import { readInitData } from './init-data.ts';

const whale = tagRoleId('Whale');
const og = tagRoleId('OG');
const long = tagRoleId('Early supporter');

async function start(records: Partial<ChatRecords> = {}) {
  const emulator = await startTelegramEmulator({ limits: { perChat: { limit: 1_000, windowSeconds: 1 } } });
  const known = { queries: { find: async () => undefined }, readTagRoles: async () => [whale, og, long], ...records };
  const options = {
    token: emulator.bot.token,
    apiUrl: emulator.url,
    fetch,
    clock: () => new Date(),
    callsPerSecond: 1_000,
  };
  const { host, api } = createTelegram(options, undefined, known);
  const group = emulator.createGroup({ title: 'Cat Club' });
  const newMember = (name: string) => {
    const { id } = emulator.createUser(name);
    emulator.addMember(group.id, id);
    return id;
  };
  return { emulator, host, api, group, newMember, chatId: String(group.id) };
}

type World = Awaited<ReturnType<typeof start>>;

const write = ({ host, chatId }: World, userId: number, add: string[], remove: string[] = [], isJoinRequest = false) =>
  host.writeMember({
    communityId: chatId,
    userId: String(userId),
    add,
    remove,
    held: [],
    reason: 'test',
    isJoinRequest,
  });

test('init data is accepted exactly as Telegram signs it', async (t) => {
  const w = await start();
  t.after(() => w.emulator.stop());
  const user = w.emulator.createUser('Zoë & co');
  user.language = 'de';
  const authDate = 1_780_000_000;
  const signed = w.emulator.signInitData(user.id, { authDate });
  const opened = w.api.readInitData(signed);
  assert.deepEqual(opened, {
    user: { id: String(user.id), name: 'Zoë & co', isBot: false, language: 'de' },
    authDate: new Date(authDate * 1000),
  });
  const fields = new URLSearchParams(signed);
  const changed = (change: (copy: URLSearchParams) => void) => {
    const copy = new URLSearchParams(fields);
    change(copy);
    return copy.toString();
  };
  const forged = [
    '',
    'hash=',
    changed((copy) => copy.delete('hash')),
    changed((copy) => copy.set('user', JSON.stringify({ id: 1, first_name: 'Mallory' }))),
    changed((copy) => copy.set('auth_date', String(authDate + 1))),
    changed((copy) => copy.append('start_param', 'x')),
    changed((copy) => copy.append('user', '{}')),
    changed((copy) => copy.delete('query_id')),
    changed((copy) => copy.set('hash', 'f'.repeat(64))),
    changed((copy) => copy.set('hash', `${copy.get('hash')}00`)),
    changed((copy) => copy.set('hash', (copy.get('hash') ?? '').toUpperCase())),
    `${signed}&hash=${fields.get('hash')}`,
    'x'.repeat(20_000),
  ];
  for (const data of forged) assert.equal(w.api.readInitData(data), undefined, data.slice(0, 200));
  assert.equal(readInitData(signed, '1:another-bot'), undefined, 'signed for another bot');
  const other = w.emulator.createBot({ username: 'other_bot' });
  assert.equal(w.api.readInitData(w.emulator.signInitData(user.id, { bot: other })), undefined);
});

test('a request is answered by its query, and as an ordinary one once Telegram has given the query up', async (t) => {
  const queries = new Map<string, string>();
  const w = await start({ queries: { find: async (_chatId, userId) => queries.get(userId) } });
  t.after(() => w.emulator.stop());
  assert.equal(await w.api.readGuard(w.chatId), 'not-assigned');
  w.emulator.setGuard(w.group.id, true);
  assert.equal(await w.api.readGuard(w.chatId), 'assigned');
  const [owner = 0] = w.group.members.keys();
  const door = w.emulator.createLink(w.group.id, owner, { createsJoinRequest: true });
  const [ann, ben, cid, dan] = ['Ann', 'Ben', 'Cid', 'Dan'].map((name) => w.emulator.createUser(name).id) as [
    number,
    number,
    number,
    number,
  ];
  for (const user of [ann, ben, cid, dan]) w.emulator.join(user, door);
  const asked: { from: { id: number }; query_id: string }[] = await updates(w, 'chat_join_request');
  for (const { from, query_id } of asked) queries.set(String(from.id), query_id);
  assert.equal(await w.api.openJoinPage(queries.get(String(ann)) ?? '', 'https://gate.example/join'), true);
  assert.equal((await write(w, ann, ['member'], [], true)).kind, 'written');
  assert.equal((await write(w, ben, [], ['member'], true)).kind, 'written');
  assert.equal(await w.api.queueJoinRequest(queries.get(String(cid)) ?? ''), true);
  assert.equal(await w.api.queueJoinRequest(queries.get(String(cid)) ?? ''), false);
  assert.equal((await write(w, cid, ['member'], [], true)).kind, 'written', 'by the ordinary method');
  queries.set(String(dan), 'made-up');
  assert.equal(await w.api.openJoinPage('made-up', 'https://gate.example/join'), false);
  assert.equal((await write(w, dan, ['member'], [], true)).kind, 'gone', 'Telegram still waits for the real query');
  const { byMethod } = w.emulator.counts();
  assert.equal(byMethod.answerChatJoinRequestQuery, 6);
  const statuses = [ann, ben, cid, dan].map((user) => w.emulator.statusOf(w.group.id, user).status);
  assert.deepEqual(statuses, ['member', 'left', 'member', 'left']);
});

async function updates({ emulator }: World, kind: string) {
  const response = await fetch(`${emulator.url}/bot${emulator.bot.token}/getUpdates`, { method: 'POST' });
  return Object(await response.json()).result.flatMap((update: Record<string, unknown>) => update[kind] ?? []);
}

test('tags of several roles are one tag by priority, and leave when the role does', async (t) => {
  const w = await start();
  t.after(() => w.emulator.stop());
  const ann = w.newMember('Ann');
  const tagOf = () => Object(w.emulator.statusOf(w.group.id, ann)).tag;
  assert.deepEqual(await write(w, ann, [og]), { kind: 'written', roleIds: ['member', og], calls: 1 });
  const both = await write(w, ann, [whale]);
  assert.deepEqual([both.kind === 'written' && both.roleIds, tagOf()], [['member', whale, og], 'Whale · OG']);
  assert.deepEqual((await w.host.readMember(w.chatId, String(ann)))?.roleIds, ['member', whale, og]);
  const full = await write(w, ann, [long]);
  assert.ok(full.kind === 'written' && full.refused?.[0]?.roleId === long && /no room/.test(full.refused[0].advice));
  await write(w, ann, [], [whale]);
  assert.equal(tagOf(), 'OG');
  assert.deepEqual(await write(w, ann, [og]), { kind: 'written', roleIds: ['member', og], calls: 0 });
  await write(w, ann, [], [og]);
  assert.equal(tagOf(), undefined);
  const roles = await w.host.readRoles(w.chatId);
  assert.deepEqual(
    roles.map(({ name }) => name),
    ['Member', 'Tag: Whale', 'Tag: OG', 'Tag: Early supporter'],
  );
  assert.deepEqual(w.host.settle?.(roles, [og, 'member', long, whale]), [og, 'member', whale]);
});

test('what Telegram refuses about tags is explained, and concerns nothing else', async (t) => {
  const w = await start();
  t.after(() => w.emulator.stop());
  const [ann, ben] = [w.newMember('Ann'), w.newMember('Ben')];
  w.emulator.setAdmin(w.group.id, ben, ['can_delete_messages']);
  const titled = await write(w, ben, [whale]);
  assert.ok(titled.kind === 'written' && /sets the title of an administrator/.test(titled.refused?.[0]?.advice ?? ''));
  const faultsOf = async (roleId: string) =>
    (await w.host.findFaults?.(w.chatId, [roleId]))?.map(({ advice }) => advice);
  assert.deepEqual(await faultsOf(whale), []);
  assert.match((await faultsOf(tagRoleId('x'.repeat(17))))?.[0] ?? '', /at most 16 characters/);
  w.emulator.setBot(w.group.id, ['can_invite_users', 'can_restrict_members']);
  assert.match((await faultsOf(whale))?.[0] ?? '', /switch on “Manage tags”/);
  const powerless = await write(w, ann, [whale]);
  assert.ok(powerless.kind === 'written' && powerless.refused?.[0]?.fault === 'permission');
  assert.deepEqual(powerless.roleIds, ['member']);
  const channel = w.emulator.createGroup({ title: 'Cat News', type: 'channel' });
  const inChannel = await w.host.findFaults?.(String(channel.id), [whale]);
  assert.match(inChannel?.[0]?.advice ?? '', /groups only/);
});

test('a tag that is too long is refused while Telegram is down too', async (t) => {
  const w = await start();
  t.after(() => w.emulator.stop());
  w.emulator.misbehave({ kind: 'outage' });
  const roleId = tagRoleId('x'.repeat(17));
  assert.deepEqual(
    (await w.host.findFaults?.(w.chatId, ['member', whale, roleId]))?.map((fault) => [fault.roleId, fault.fault]),
    [[roleId, 'missing']],
  );
  await assert.rejects(async () => w.host.findFaults?.(w.chatId, [whale]), { kind: 'unavailable' });
});
