import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bot, type Context, InlineKeyboard } from 'grammy';
import { botOf, emulatorFor, eventually, poll, refused } from './testing.ts';

test('grammY polls, replies to a command with buttons, and answers the press', async (t) => {
  const emulator = await emulatorFor(t);
  const bot = botOf(emulator);
  bot.command('start', (ctx) =>
    ctx.reply(`Welcome, ${ctx.from?.first_name}`, { reply_markup: new InlineKeyboard().text('Link a wallet', 'link') }),
  );
  bot.callbackQuery('link', async (ctx) => {
    await ctx.answerCallbackQuery('One moment');
    await ctx.editMessageText('Follow this link');
  });
  await bot.api.setMyCommands([{ command: 'start', description: 'Begin' }]);
  assert.deepEqual(await bot.api.getMyCommands(), [{ command: 'start', description: 'Begin' }]);
  await poll(bot, emulator.pollers);
  assert.equal(bot.botInfo.username, 'latchkey_bot');

  const ann = emulator.createUser('Ann');
  await assert.rejects(bot.api.sendMessage(ann.id, 'hello'), refused(403, /can't initiate conversation/));
  emulator.speakToBot(ann.id, '/start');
  const welcome = await eventually(() => emulator.sentMessages(ann.id)[0]);
  assert.equal(welcome.text, 'Welcome, Ann');
  assert.deepEqual(await emulator.press(ann.id, welcome, 'link'), { text: 'One moment', showAlert: false });
  await eventually(() => welcome.text === 'Follow this link');
  await assert.rejects(emulator.press(ann.id, welcome, 'link'), /no button/, 'the edit removed the keyboard');
  emulator.blockBot(ann.id);
  await assert.rejects(bot.api.sendMessage(ann.id, 'hello'), refused(403, /bot was blocked by the user/));
});

test('a join request is approved or declined, and the bot receives the join', async (t) => {
  const emulator = await emulatorFor(t);
  const group = emulator.createGroup({ title: 'Cat Club' });
  const bot = botOf(emulator);
  const seen: string[] = [];
  bot.on('chat_join_request', async (ctx) => {
    await ctx.api.sendMessage(ctx.chatJoinRequest.user_chat_id, 'Checking your wallet');
    if (ctx.from.first_name === 'Ann') await ctx.approveChatJoinRequest(ctx.from.id);
    else await ctx.declineChatJoinRequest(ctx.from.id);
  });
  bot.on('chat_member', ({ chatMember }: Context) => {
    seen.push(`${chatMember?.new_chat_member.user.first_name} ${chatMember?.new_chat_member.status}`);
    assert.equal(chatMember?.via_join_request, true);
    assert.equal(chatMember?.invite_link?.invite_link, link.invite_link);
  });
  const link = await bot.api.createChatInviteLink(group.id, { creates_join_request: true, name: 'gate' });
  assert.deepEqual([link.creates_join_request, link.name, link.is_revoked], [true, 'gate', false]);
  await poll(bot, emulator.pollers);
  const [ann, ben] = [emulator.createUser('Ann'), emulator.createUser('Ben')];
  assert.equal(emulator.join(ann.id, link.invite_link), 'requested');
  assert.equal(emulator.statusOf(group.id, ann.id).status, 'left');
  await eventually(() => emulator.statusOf(group.id, ann.id).status === 'member');
  emulator.join(ben.id, link.invite_link);
  await eventually(() => emulator.counts().byMethod.declineChatJoinRequest === 1);
  assert.equal(emulator.statusOf(group.id, ben.id).status, 'left');
  assert.equal(emulator.sentMessages(ben.id)[0]?.text, 'Checking your wallet');
  await assert.rejects(bot.api.sendMessage(ben.id, 'Too late'), refused(403, /can't initiate conversation/));
  await eventually(() => seen.length > 0);
  assert.deepEqual(seen, ['Ann member']);
  await assert.rejects(bot.api.approveChatJoinRequest(group.id, ben.id), refused(400, /HIDE_REQUESTER_MISSING/));
  await assert.rejects(bot.api.approveChatJoinRequest(group.id, ann.id), refused(400, /USER_ALREADY_PARTICIPANT/));
});

test('a single-use link admits one user, and ends by time or revocation', async (t) => {
  const time = { nowMs: Date.parse('2026-01-01T00:00:00Z') };
  const emulator = await emulatorFor(t, { clock: () => time.nowMs });
  const group = emulator.createGroup({ title: 'Cat Club' });
  const { api } = botOf(emulator);
  const people = ['Ann', 'Ben', 'Cid'].map((name) => emulator.createUser(name).id);
  const [ann = 0, ben = 0, cid = 0] = people;
  const single = await api.createChatInviteLink(group.id, { member_limit: 1 });
  assert.equal(emulator.join(ann, single.invite_link), 'joined');
  assert.throws(() => emulator.join(ben, single.invite_link), /expired/);
  const brief = await api.createChatInviteLink(group.id, { expire_date: time.nowMs / 1000 + 60 });
  time.nowMs += 60_000;
  assert.throws(() => emulator.join(ben, brief.invite_link), /expired/);
  const ended = await api.createChatInviteLink(group.id);
  assert.equal((await api.revokeChatInviteLink(group.id, ended.invite_link)).is_revoked, true);
  assert.throws(() => emulator.join(cid, ended.invite_link), /expired/);
  const first = await api.exportChatInviteLink(group.id);
  const second = await api.exportChatInviteLink(group.id);
  assert.throws(() => emulator.join(cid, first), /expired/);
  assert.equal(emulator.join(cid, second), 'joined');
  const both = { member_limit: 1, creates_join_request: true };
  await assert.rejects(api.createChatInviteLink(group.id, both), refused(400, /member limit can't be specified/));
});

test('users are removed, let back in, muted, promoted and titled', async (t) => {
  const time = { nowMs: Date.parse('2026-01-01T00:00:00Z') };
  const emulator = await emulatorFor(t, { clock: () => time.nowMs });
  const group = emulator.createGroup({ title: 'Cat Club' });
  const { api } = botOf(emulator);
  const ann = emulator.createUser('Ann').id;
  emulator.addMember(group.id, ann);
  assert.equal(await api.getChatMemberCount(group.id), 3);
  assert.equal((await api.getChatMember(group.id, ann)).status, 'member');

  await api.banChatMember(group.id, ann, { until_date: time.nowMs / 1000 + 3600 });
  const link = await api.createChatInviteLink(group.id);
  assert.throws(() => emulator.join(ann, link.invite_link), /banned/);
  assert.equal(await api.getChatMemberCount(group.id), 2);
  time.nowMs += 3_600_000;
  assert.equal((await api.getChatMember(group.id, ann)).status, 'left', 'the ban expired');
  await api.banChatMember(group.id, ann);
  await api.unbanChatMember(group.id, ann, { only_if_banned: true });
  assert.equal(emulator.join(ann, link.invite_link), 'joined');
  assert.equal(emulator.counts().noOpWrites, 0);
  await api.unbanChatMember(group.id, ann, { only_if_banned: true });
  assert.equal(emulator.counts().noOpWrites, 1);

  await api.restrictChatMember(group.id, ann, { can_send_messages: false });
  const muted = await api.getChatMember(group.id, ann);
  assert.ok(muted.status === 'restricted' && muted.is_member && !muted.can_send_messages);
  await api.promoteChatMember(group.id, ann, { can_delete_messages: true });
  await api.setChatAdministratorCustomTitle(group.id, ann, 'Cat Lord');
  const admins = await api.getChatAdministrators(group.id);
  assert.deepEqual(admins.map(({ status }) => status).sort(), ['administrator', 'administrator', 'creator']);
  const promoted = admins.find(({ user }) => user.id === ann);
  assert.ok(promoted?.status === 'administrator' && promoted.custom_title === 'Cat Lord' && promoted.can_be_edited);
  await assert.rejects(api.banChatMember(group.id, ann), refused(400, /user is an administrator of the chat/));
  const owner = admins.find(({ status }) => status === 'creator')?.user.id ?? 0;
  await assert.rejects(api.banChatMember(group.id, owner), refused(400, /can't remove chat owner/));
  await assert.rejects(api.getChatMember(group.id, 1), refused(400, /user not found/));
});

test('a bot without the right is refused, and a removed one gets the reason', async (t) => {
  const emulator = await emulatorFor(t);
  const group = emulator.createGroup({ title: 'Cat Club', bot: [] });
  const { api } = botOf(emulator);
  const ann = emulator.createUser('Ann').id;
  emulator.addMember(group.id, ann);
  await assert.rejects(api.banChatMember(group.id, ann), refused(400, /CHAT_ADMIN_REQUIRED/));
  await assert.rejects(api.getChatMember(group.id, ann), refused(400, /CHAT_ADMIN_REQUIRED/));
  emulator.setBot(group.id, ['can_restrict_members']);
  await assert.rejects(
    api.createChatInviteLink(group.id),
    refused(400, /not enough rights to manage chat invite link/),
  );
  await api.banChatMember(group.id, ann);
  emulator.setBot(group.id, ['can_invite_users']);
  await assert.rejects(api.unbanChatMember(group.id, ann), refused(400, /not enough rights to restrict/));
  emulator.setBot(group.id, 'kicked');
  await assert.rejects(api.getChat(group.id), refused(403, /bot was kicked from the supergroup chat/));
  await assert.rejects(api.getChat(-1001), refused(400, /chat not found/));
  const hidden = emulator.createGroup({ title: 'Dog Club', bot: false });
  await assert.rejects(api.getChat(hidden.id), refused(400, /chat not found/));
  const stranger = new Bot('1:wrong', { client: { apiRoot: emulator.url } });
  await assert.rejects(stranger.api.getMe(), refused(401, /Unauthorized/));
});

test('a bot with the right pins a message, and the chat shows it', async (t) => {
  const emulator = await emulatorFor(t);
  const bot = botOf(emulator);
  const group = emulator.createGroup({ title: 'Cat Club', bot: ['can_invite_users'] });
  const { message_id } = await bot.api.sendMessage(group.id, 'Link a wallet');
  await assert.rejects(
    bot.api.pinChatMessage(group.id, message_id),
    refused(400, /not enough rights to manage pinned/),
  );
  const open = emulator.createGroup({ title: 'Dog Club', bot: ['can_pin_messages'] });
  const sent = await bot.api.sendMessage(open.id, 'Link a wallet');
  assert.equal(await bot.api.pinChatMessage(open.id, sent.message_id, { disable_notification: true }), true);
  assert.equal((await bot.api.getChat(open.id)).pinned_message?.message_id, sent.message_id);
  await assert.rejects(bot.api.pinChatMessage(open.id, 999), refused(400, /message to pin not found/));
  await bot.api.deleteMessage(open.id, sent.message_id);
  assert.equal((await bot.api.getChat(open.id)).pinned_message, undefined);
});

test('an administrator bot sends a message that one member sees; other chats, people and older servers have none', async (t) => {
  const emulator = await emulatorFor(t);
  const { api } = botOf(emulator);
  const group = emulator.createGroup({ title: 'Cat Club' });
  const [ann, ben] = [emulator.createUser('Ann').id, emulator.createUser('Ben').id];
  emulator.addMember(group.id, ann);
  const to = (id: number) => ({ ephemeral_message_parameters: { receiver_user_id: id } });
  const sent = await api.sendMessage(group.id, 'You hold 3', to(ann));
  assert.deepEqual([sent.message_id, sent.receiver_user?.id], [0, ann]);
  const id = sent.ephemeral_message_id ?? 0;
  assert.deepEqual(
    [emulator.ephemeralMessages(group.id, ann).map(({ text }) => text), emulator.ephemeralMessages(group.id, ben)],
    [['You hold 3'], []],
  );
  assert.equal(emulator.sentMessages(group.id).length, 0, 'the chat shows nothing');
  await assert.rejects(api.deleteEphemeralMessage(group.id, ben, id), refused(400, /message to delete not found/));
  assert.equal(await api.deleteEphemeralMessage(group.id, ann, id), true);
  assert.equal(emulator.ephemeralMessages(group.id, ann).length, 0);
  await assert.rejects(api.sendMessage(group.id, 'x', to(ben)), refused(400, /USER_ID_INVALID/));
  emulator.speakToBot(ann, '/start');
  await assert.rejects(api.sendMessage(ann, 'x', to(ann)), refused(400, /BOT_NOT_ADMIN/));
  emulator.setBot(group.id, 'member');
  await assert.rejects(api.sendMessage(group.id, 'x', to(ann)), refused(400, /BOT_NOT_ADMIN/));
  const commands = [{ command: 'why', description: 'Why', is_ephemeral: true }];
  await api.setMyCommands(commands);
  assert.deepEqual(await api.getMyCommands(), commands);
  emulator.setEphemeral(false);
  const posted = await api.sendMessage(group.id, 'for everyone', to(ann));
  assert.deepEqual([posted.ephemeral_message_id, emulator.sentMessages(group.id).length], [undefined, 1]);
  await assert.rejects(api.deleteEphemeralMessage(group.id, ann, 1), refused(404, /Not Found/));
});

test('a channel and its discussion group name each other', async (t) => {
  const emulator = await emulatorFor(t);
  const { api } = botOf(emulator);
  const channel = emulator.createGroup({ title: 'Cat News', type: 'channel' });
  const group = emulator.createGroup({ title: 'Cat Talk' });
  const linked = async (id: number) => {
    const chat = await api.getChat(id);
    return chat.type === 'channel' || chat.type === 'supergroup' ? chat.linked_chat_id : undefined;
  };
  assert.equal(await linked(channel.id), undefined);
  emulator.linkChats(channel.id, group.id);
  assert.deepEqual([await linked(channel.id), await linked(group.id)], [group.id, channel.id]);
});
