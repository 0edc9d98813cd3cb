import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '@latchkey/test-kit';
import { putMembers } from '../../communities/memberships/index.ts';
import { listChangeSets } from '../../gating/role-changes/index.ts';
import { userKey } from '../../shared/qualified-ids.ts';
import { notifyNews } from '../admin-notices/testing.ts';
import { setTelegramCommands } from './commands.ts';
import { memberRole } from './member-role.ts';
import { addChat, resync, walletOf } from './testing.ts';
import { TelegramWorld } from './testing-world.ts';

describe('messages to the Telegram bot', () => {
  let w: TelegramWorld;
  before(async () => {
    w = await TelegramWorld.open('telegram-questions');
    w.telegram.host.readRoles = async () => [{ id: memberRole, name: 'Member' }];
  });
  after(() => w.close());

  /** A chat whose owner manages it on Telegram, with members who were discovered when they wrote. */
  async function open(members: number) {
    const [chatId, owner] = [w.newChat(), w.newNumber()];
    w.telegram.host.addAdmin(chatId, String(owner));
    const id = await addChat(w.services, chatId, owner);
    // A new rule re-checks every member; tests start after that.
    const words = 'select from reconcile_queue where community_id = $1';
    const isChecked = async () => (await w.services.db.pool.query(words, [id])).rows.length === 0;
    await until('every member was checked', isChecked);
    const ids = Array.from({ length: members }, () => w.newNumber());
    for (const member of ids) w.telegram.host.addMember(chatId, String(member), [memberRole]);
    const seen = ids.map((member) => ({
      userId: userKey('telegram', String(member)),
      userName: `user${member}`,
      roleIds: [memberRole],
    }));
    await putMembers(w.services.db.system, id, seen, w.services.clock());
    return { chatId, owner, ids, id };
  }

  async function hold(chat: Awaited<ReturnType<typeof open>>): Promise<string> {
    await resync(w.services, chat.id);
    const find = async () => (await listChangeSets(w.ctx, chat.id)).items.find(({ status }) => status === 'held');
    await until('a change set is held', async () => (await find()) !== undefined);
    return (await find())?.id ?? '';
  }

  async function say(userId: number, text: string, where: { chatId?: string; replyTo?: number } = {}): Promise<string> {
    const [command = '', ...rest] = text.split(' ');
    const before = w.sentTo(userId).length;
    await w.hear({
      kind: 'command',
      chatId: where.chatId ?? String(userId),
      isPrivate: where.chatId === undefined,
      user: w.person(userId),
      command,
      argument: rest.join(' '),
      ...(where.replyTo !== undefined && { replyTo: w.person(where.replyTo) }),
    });
    await w.settled();
    return w
      .sentTo(userId)
      .slice(before)
      .map((one) => one.text)
      .join('\n');
  }

  test('are answered in the language of the user’s app', async () => {
    const { ids } = await open(1);
    const [member = 0] = ids;
    const hear = async (language: string, command: string) => {
      const user = { ...w.person(member), language };
      await w.hear({ kind: 'command', chatId: String(member), isPrivate: true, user, command, argument: '' });
      await w.settled();
      return w.sentTo(member).at(-1);
    };
    assert.match((await hear('ko', 'why'))?.text ?? '', /연결된 지갑이 없어요\. \/connect/);
    assert.deepEqual((await hear('pt-br', 'connect'))?.button?.text, 'Vincular uma carteira');
    assert.match((await hear('sv', 'why'))?.text ?? '', /You have no linked wallet\./);
  });

  test('have a menu of commands in every language, and in English for the others', async () => {
    await setTelegramCommands(w.services);
    const { commands } = w.telegram;
    assert.deepEqual([...commands.keys()].toSorted(), ['', 'ar', 'de', 'es', 'fr', 'ja', 'ko', 'pt', 'tr', 'vi', 'zh']);
    assert.deepEqual(commands.get('')?.[0], { command: 'connect', description: 'Link a wallet' });
    assert.deepEqual(commands.get('fr')?.[0], { command: 'connect', description: 'Lier un portefeuille' });
  });

  async function press(userId: number, data: string): Promise<string> {
    const before = w.sentTo(userId).length;
    const pressId = `press-${userId}-${data}`;
    await w.hear({ kind: 'pressed', chatId: String(userId), user: w.person(userId), data, pressId });
    await w.settled();
    assert.ok(w.telegram.ended.includes(pressId));
    return w.sentTo(userId)[before]?.text ?? '';
  }

  test('admins are notified privately of a held change set, decide by its buttons, and the message shows who decided', async () => {
    const chat = await open(12);
    const changeSetId = await hold(chat);
    await notifyNews(w.services);
    await notifyNews(w.services);
    const posts = w.telegram.posts.filter(({ chatId }) => chatId === String(chat.owner));
    assert.equal(posts.length, 1);
    assert.match(posts[0]?.text ?? '', /^A role change in Cat Club needs your approval: 12 members lose Member\./);
    assert.match(posts[0]?.text ?? '', /user\d+ loses Member\. A rule needs at least 1 ERC20 0x0000…00cc on Ethereum/);
    assert.deepEqual(
      posts[0]?.buttons.map((button) => 'data' in button && button.data),
      [`show:${changeSetId}`, `approve:${changeSetId}`, `reject:${changeSetId}`],
    );
    assert.match(await press(chat.owner, `approve:${changeSetId}`), /^Approve 12 removals\?/);
    assert.match(await press(chat.owner, `reject:${changeSetId}`), /^Rejected/);
    await notifyNews(w.services);
    assert.match(
      posts[0]?.text ?? '',
      new RegExp(`Rejected by ${chat.owner}\\.\\nOpen in the console: \\S+/role-changes/${changeSetId}$`),
    );
    assert.ok(w.isIn(chat.chatId, chat.ids[0] ?? 0));
  });

  test('where no admin has started the bot, a message in the chat says that approval is needed, without names', async () => {
    const chat = await open(12);
    w.telegram.deaf.add(String(chat.owner));
    await hold(chat);
    await notifyNews(w.services);
    const [message] = w.sentTo(chat.chatId);
    assert.match(message?.text ?? '', /needs your approval: 12 members lose Member\. Admins: open a chat with the bot/);
    assert.ok(!/user\d/.test(message?.text ?? ''));
    assert.equal(message?.button?.url, 'https://t.me/gate_bot?start=changes');
  });

  test('admins list, show, approve after a confirmation and undo by commands; others are refused', async () => {
    const chat = await open(12);
    const changeSetId = await hold(chat);
    assert.match(await say(chat.owner, 'changes'), /12 members lose Member \(waiting for your approval/);
    assert.match(await say(chat.owner, 'start changes'), /waiting for your approval/);
    assert.match(await say(chat.owner, `show ${changeSetId}`), /loses Member/);
    const stranger = w.newNumber();
    assert.match(await say(stranger, 'changes'), /You don’t manage any chat/);
    assert.match(await say(stranger, 'changes', { chatId: chat.chatId }), /Only admins/);
    for (const command of ['show', 'approve', 'reject', 'undo'])
      assert.match(await say(stranger, `${command} ${changeSetId} 12`), /^Role changes not found/);
    assert.match(await say(chat.owner, `approve ${changeSetId}`), /^Approve 12 removals\?/);
    assert.ok(w.isIn(chat.chatId, chat.ids[0] ?? 0));
    assert.match(await say(chat.owner, `approve ${changeSetId} 12`), /^Approved: 12 removals/);
    await until('every member is removed', () => chat.ids.every((id) => !w.isIn(chat.chatId, id)));
  });

  test('a member asks why or for a check in the chat, and gets a reply that only they see', async () => {
    const chat = await open(2);
    const [member = 0, other = 0] = chat.ids;
    const before = w.telegram.whispers.length;
    assert.equal(await say(member, 'why', { chatId: chat.chatId }), '');
    assert.equal(await say(member, 'check', { chatId: chat.chatId, replyTo: other }), '');
    const [why, check, ...more] = w.telegram.whispers.slice(before);
    assert.deepEqual([why?.chatId, why?.userId], [chat.chatId, String(member)]);
    assert.match(why?.text ?? '', /^You have no linked wallet\. Send me \/connect to link one\.\n• Member: /);
    assert.deepEqual([check, more], [why, []]);
    assert.deepEqual([w.sentTo(chat.chatId), w.sentTo(member)], [[], []]);
    // What admins read stays in their private chats.
    assert.match(await say(chat.owner, `why ${other}`, { chatId: chat.chatId }), /has no linked wallet/);
    assert.match(await say(chat.owner, 'changes', { chatId: chat.chatId }), /\w/);
    assert.equal(w.telegram.whispers.length, before + 2);
  });

  test('a member asks why about themselves, in a chat without such replies or privately, and gets a private reply', async () => {
    const chat = await open(2);
    const [member = 0, other = 0] = chat.ids;
    w.telegram.canWhisper = false;
    const inChat = await say(member, 'why', { chatId: chat.chatId });
    assert.equal(await say(other, 'check', { chatId: chat.chatId }), inChat);
    assert.equal(w.isIn(chat.chatId, other), false);
    assert.match(
      inChat,
      /^You have no linked wallet\. Send me \/connect to link one\.\n• Member: .+A rule needs at least 1/,
    );
    assert.equal(w.sentTo(chat.chatId).length, 0);
    assert.equal(await say(member, 'why'), inChat);
    w.telegram.deaf.add(String(member));
    assert.equal(await say(member, 'why', { chatId: chat.chatId }), '');
    assert.match(w.sentTo(chat.chatId)[0]?.text ?? '', /Start a chat with me first/);
    w.telegram.canWhisper = true;
  });

  test('an admin asks about a member by name, by id or by replying to a message; members cannot', async () => {
    const chat = await open(2);
    const [member = 0, other = 0] = chat.ids;
    const report = await say(chat.owner, `why @user${member}`);
    assert.match(report, new RegExp(`^user${member} has no linked wallet\\.`));
    assert.ok(!report.includes(walletOf(member)));
    assert.equal(await say(chat.owner, `why ${member}`, { chatId: chat.chatId }), report);
    assert.equal(await say(chat.owner, 'why', { chatId: chat.chatId, replyTo: member }), report);
    assert.match(await say(chat.owner, 'why nobody'), /Member not found/);
    assert.match(await say(other, `why @user${member}`, { chatId: chat.chatId }), /Only admins/);
    assert.match(await say(other, `why @user${member}`), /Member not found in a chat that you manage/);
  });

  test('a button press in a group, by a bot or of another button does nothing', async () => {
    const user = w.person(w.newNumber());
    for (const event of [
      { chatId: '-100', user, data: 'changes' },
      { chatId: user.id, user: { ...user, isBot: true }, data: 'changes' },
      { chatId: user.id, user, data: 'toString' },
      { chatId: user.id, user, data: '' },
    ])
      await w.hear({ kind: 'pressed', pressId: 'x', ...event });
    await w.settled();
    assert.equal(w.sentTo(user.id).length, 0);
  });
});
