import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Context } from 'grammy';
import { botOf, emulatorFor, eventually, poll, refused } from './testing.ts';

test('a guard bot shows a page to a user who requests to join, and approves, declines or queues the request', async (t) => {
  const emulator = await emulatorFor(t);
  const group = emulator.createGroup({ title: 'Cat Club' });
  const bot = botOf(emulator);
  assert.equal((await bot.api.getMe()).supports_join_request_queries, true);
  const link = await bot.api.createChatInviteLink(group.id, { creates_join_request: true });
  emulator.setGuard(group.id, true);
  assert.equal((await bot.api.getChat(group.id)).guard_bot?.id, emulator.bot.user.id);
  const queries = new Map<number, string>();
  bot.on('chat_join_request', ({ chatJoinRequest: { from, query_id = '' } }) => void queries.set(from.id, query_id));
  await poll(bot, emulator.pollers);
  const [ann, ben, cid] = ['Ann', 'Ben', 'Cid'].map((name) => emulator.createUser(name).id) as [number, number, number];
  for (const user of [ann, ben, cid]) emulator.join(user, link.invite_link);
  await eventually(() => queries.size === 3);
  const queryOf = (user: number) => queries.get(user) ?? '';

  assert.equal(await bot.api.sendChatJoinRequestWebApp(queryOf(ann), 'https://gate.example/join/1'), true);
  assert.deepEqual([...emulator.joinPages(group.id)], [[ann, 'https://gate.example/join/1']]);
  await assert.rejects(bot.api.approveChatJoinRequest(group.id, ann), refused(400, /HIDE_REQUESTER_MISSING/));
  await bot.api.answerChatJoinRequestQuery(queryOf(ann), 'approve');
  await bot.api.answerChatJoinRequestQuery(queryOf(ben), 'decline');
  await bot.api.answerChatJoinRequestQuery(queryOf(cid), 'queue');
  const statuses = () => [ann, ben, cid].map((user) => emulator.statusOf(group.id, user).status);
  assert.deepEqual(statuses(), ['member', 'left', 'left']);
  assert.deepEqual(
    [ben, cid].map((user) => emulator.isWaiting(group.id, user)),
    [false, true],
  );
  await bot.api.approveChatJoinRequest(group.id, cid);
  assert.deepEqual(statuses(), ['member', 'left', 'member']);
  await assert.rejects(bot.api.answerChatJoinRequestQuery(queryOf(ann), 'decline'), refused(400, /QUERY_ID_INVALID/));
});

test('a query ends after ten seconds without an answer, or some minutes after its page, and becomes an ordinary request', async (t) => {
  const time = { nowMs: Date.parse('2026-07-01T00:00:00Z') };
  const emulator = await emulatorFor(t, { clock: () => time.nowMs });
  const group = emulator.createGroup({ title: 'Cat Club' });
  const bot = botOf(emulator);
  const { api } = bot;
  const link = await api.createChatInviteLink(group.id, { creates_join_request: true });
  emulator.setGuard(group.id, true);
  const queries: string[] = [];
  bot.on('chat_join_request', (ctx) => void queries.push(ctx.chatJoinRequest.query_id ?? 'none'));
  await poll(bot, emulator.pollers);
  const [ann, ben] = [emulator.createUser('Ann').id, emulator.createUser('Ben').id];
  for (const user of [ann, ben]) emulator.join(user, link.invite_link);
  await eventually(() => queries.length === 2);
  const [first = '', second = ''] = queries;
  await api.sendChatJoinRequestWebApp(second, 'https://gate.example/join/2');
  time.nowMs += 10_000;
  await assert.rejects(api.sendChatJoinRequestWebApp(first, 'https://gate.example'), refused(400, /QUERY_ID_INVALID/));
  await api.approveChatJoinRequest(group.id, ann);
  await api.sendChatJoinRequestWebApp(second, 'https://gate.example/join/3');
  time.nowMs += 300_000;
  await assert.rejects(api.answerChatJoinRequestQuery(second, 'approve'), refused(400, /QUERY_ID_INVALID/));
  await api.declineChatJoinRequest(group.id, ben);
  assert.deepEqual(
    [ann, ben].map((user) => emulator.statusOf(group.id, user).status),
    ['member', 'left'],
  );
});

test('a bot with the right gives members a tag, which no administrator gets', async (t) => {
  const emulator = await emulatorFor(t);
  const group = emulator.createGroup({ title: 'Cat Club' });
  const { api } = botOf(emulator);
  const [ann, ben] = [emulator.createUser('Ann').id, emulator.createUser('Ben').id];
  for (const user of [ann, ben]) emulator.addMember(group.id, user);
  await api.setChatMemberTag(group.id, ann, 'Whale');
  const tagged = await api.getChatMember(group.id, ann);
  assert.ok(tagged.status === 'member' && tagged.tag === 'Whale');
  await api.restrictChatMember(group.id, ben, { can_send_messages: false });
  await api.setChatMemberTag(group.id, ben, 'Top holder');
  const restricted = await api.getChatMember(group.id, ben);
  assert.ok(restricted.status === 'restricted' && restricted.tag === 'Top holder');
  await api.setChatMemberTag(group.id, ann, '');
  const plain = await api.getChatMember(group.id, ann);
  assert.ok(plain.status === 'member' && plain.tag === undefined);
  for (const tag of ['x'.repeat(17), 'Whale 🐋'])
    await assert.rejects(api.setChatMemberTag(group.id, ann, tag), refused(400, /RANK_INVALID/));
  emulator.setAdmin(group.id, ben, ['can_delete_messages']);
  await assert.rejects(api.setChatMemberTag(group.id, ben, 'Whale'), refused(400, /CHAT_CREATOR_REQUIRED/));
  emulator.setBot(group.id, ['can_invite_users']);
  await assert.rejects(api.setChatMemberTag(group.id, ann, 'Whale'), refused(400, /not enough rights/));
});

test('a join names the link or the person that led to it, and shows only the beginning of the links of others', async (t) => {
  const emulator = await emulatorFor(t);
  const group = emulator.createGroup({ title: 'Cat Club' });
  const bot = botOf(emulator);
  const own = await bot.api.createChatInviteLink(group.id, { name: 'for 1' });
  const seen: unknown[] = [];
  bot.on('chat_member', ({ chatMember }: Context) => {
    const { invite_link, from, new_chat_member } = chatMember ?? {};
    seen.push([invite_link?.invite_link, invite_link?.creator.first_name, from?.id === new_chat_member?.user.id]);
  });
  // Telegram keeps these updates from when a bot first asks for them by name.
  await bot.api.getUpdates({ allowed_updates: ['chat_member'], timeout: 0 });
  await poll(bot, emulator.pollers);
  const [owner = 0] = group.members.keys();
  const [ann, ben, cid] = ['Ann', 'Ben', 'Cid'].map((name) => emulator.createUser(name).id) as [number, number, number];
  const foreign = emulator.createLink(group.id, owner);
  emulator.join(ann, own.invite_link);
  emulator.join(ben, foreign);
  emulator.addBy(group.id, cid, owner);
  await eventually(() => seen.length === 3);
  assert.deepEqual(seen, [
    [own.invite_link, 'Latchkey', true],
    [`${foreign.slice(0, -8)}...`, 'Cat Club owner', true],
    [undefined, undefined, false],
  ]);
  await bot.api.revokeChatInviteLink(group.id, own.invite_link);
  await assert.rejects(bot.api.revokeChatInviteLink(group.id, foreign), refused(400, /CHAT_ADMIN_REQUIRED/));
});
