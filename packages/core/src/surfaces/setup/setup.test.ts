import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { listArrivals } from '../../communities/bot-arrivals/operations.ts';
import { createCommunity } from '../../communities/community/index.ts';
import {
  addGuild,
  type DiscordPlatform,
  discordPlatform,
  discordUser,
} from '../../communities/discord-guilds/testing.ts';
import { createRule } from '../../gating/community-rules/index.ts';
import { communityKey } from '../../shared/qualified-ids.ts';
import { operator } from '../../testing/index.ts';
import { takeDiscordEvent } from '../discord-interactions/index.ts';
import { registerLinkedRoles } from '../linked-roles/operations.ts';
import { memoryTelegram } from '../telegram/testing.ts';
import { listBotInvitations } from './chat-platform-list.ts';
import { checkCommunitySetup } from './check-setup.ts';
import { listChatRoles } from './operations.ts';
import type { CommunitySetup } from './setup-check.ts';

describe('setting up a community', () => {
  let d: DiscordPlatform;
  before(async () => {
    d = await discordPlatform('setup', { isQuick: true });
  });
  after(() => d.close());

  const faults = ({ checks }: CommunitySetup) =>
    checks.filter(({ state }) => state !== 'ok' && state !== 'optional').map(({ id }) => id);

  /** Runs a call while Discord is down. */
  async function whileDown<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    d.emulator.misbehave({ kind: 'error', status: 500 });
    return ask().finally(() => d.emulator.behave());
  }

  async function addRule(communityId: string, roleId: string) {
    const now = d.services.clock();
    await d.services.db.system
      .insertInto('community_rules')
      .values({
        id: `rule-${roleId}`,
        community_id: communityId,
        role_id: roleId,
        definition: {},
        visibility: 'public',
        created_at: now,
        updated_at: now,
      })
      .execute();
  }

  test('every problem is shown at once, each with its reason and fix, and setup is ready when all are fixed', async () => {
    const { id, guildId, owner, holder } = await addGuild(d);
    await addRule(id, holder);
    const guild = d.emulator.getGuild(guildId);
    const own = [...guild.roles.values()].find(({ botId }) => botId !== undefined)?.id ?? '';
    d.emulator.setPermissions(guildId, own, ['VIEW_CHANNEL']);
    d.emulator.setPermissions(guildId, guildId, []);
    d.emulator.moveRole(guildId, holder, 9);
    const broken = await checkCommunitySetup(d.as(owner), { communityId: id });
    assert.equal(broken.state, 'broken');
    assert.deepEqual(faults(broken).sort(), [
      'channel.latchkey-config',
      'channel.latchkey-join',
      'permission.EmbedLinks',
      'permission.ManageRoles',
      'permission.SendMessages',
      `role.${holder}`,
    ]);
    assert.deepEqual(
      broken.checks.slice(0, 2).map(({ state }) => state),
      ['broken', 'broken'],
      'problems come first',
    );
    const role = broken.checks.find(({ subject }) => subject === 'role');
    assert.ok((role?.rolePosition ?? 0) > (role?.botRolePosition ?? 99), 'both positions are shown');
    for (const check of broken.checks) {
      assert.ok(check.reason.length > 10, check.id);
      if (['broken', 'advised'].includes(check.state))
        assert.ok(check.remedy && check.link, `${check.id} says what to do and where`);
    }
    d.emulator.setPermissions(guildId, own, ['VIEW_CHANNEL', 'MANAGE_ROLES', 'SEND_MESSAGES', 'EMBED_LINKS']);
    d.emulator.moveRole(guildId, holder, 1);
    for (const name of ['latchkey-config', 'latchkey-join']) d.emulator.createChannel(guildId, { name });
    const ready = await checkCommunitySetup(d.as(owner), { communityId: id });
    assert.deepEqual([ready.state, faults(ready)], ['ready', []]);
  });

  test('a missing bot is a problem, and an unresponsive platform is neither ready nor broken', async () => {
    const { id, guildId, owner } = await addGuild(d);
    const unknown = await whileDown(() => checkCommunitySetup(d.as(owner), { communityId: id }));
    assert.deepEqual([unknown.state, unknown.checks], ['unknown', []]);
    assert.ok(unknown.problem);
    d.emulator.removeMember(guildId, d.emulator.application.bot.id);
    const gone = await checkCommunitySetup(d.as(owner), { communityId: id });
    assert.deepEqual([gone.state, faults(gone)], ['broken', ['bot']]);
    assert.match(gone.checks[0]?.link ?? '', new RegExp(`guild_id=${guildId}`));
    const without = await checkCommunitySetup({ ...d.as(owner), discord: undefined }, { communityId: id });
    assert.equal(without.state, 'unknown');
    assert.match(without.problem ?? '', /LATCHKEY_DISCORD_BOT_TOKEN/);
  });

  test('linked roles are optional, and not having them is not a problem', async () => {
    const { id, owner } = await addGuild(d);
    const look = async () =>
      (await checkCommunitySetup(d.as(owner), { communityId: id })).checks.find((check) => check.id === 'linked-roles');
    const missing = await look();
    assert.equal(missing?.state, 'optional');
    assert.match(missing?.remedy ?? '', /operator/);
    await registerLinkedRoles(d.as(operator));
    const there = await look();
    assert.deepEqual([there?.state, there?.remedy], ['ok', undefined]);
    const without = await checkCommunitySetup({ ...d.as(owner), linkedRoles: undefined }, { communityId: id });
    assert.ok(!without.checks.some((check) => check.id === 'linked-roles'));
  });

  test('before there are rules the role order is shown, and a new role is one that can be granted', async () => {
    const { id, guildId, owner, holder } = await addGuild(d);
    const ctx = d.as(owner);
    assert.equal(
      (await checkCommunitySetup(ctx, { communityId: id })).checks.find(({ id }) => id === 'role-order')?.state,
      'ok',
    );
    d.emulator.createRole(guildId, { name: 'Boss', position: 20 });
    const { items, canCreate } = await listChatRoles(ctx, { communityId: id });
    assert.equal(canCreate, true);
    assert.deepEqual(items.find(({ id }) => id === holder)?.canBeGiven, true);
    const boss = items.find(({ name }) => name === 'Boss');
    assert.equal(boss?.canBeGiven, false);
    assert.match(boss?.problem ?? '', /below/);
    assert.equal(
      items.some(({ id }) => id === guildId),
      false,
      '@everyone cannot be granted',
    );
    await assert.rejects(
      whileDown(() => listChatRoles(ctx, { communityId: id })),
      { code: 'UNAVAILABLE' },
    );
  });

  test('a Telegram group is checked by the bot’s rights', async () => {
    const telegram = memoryTelegram();
    const ctx = { ...d.as({ kind: 'system', job: 'test' }), telegram: telegram.api };
    await createCommunity(ctx, {
      body: { platform: 'telegram', communityId: '-1007', name: 'Dogs', ownerId: 'TEL#USER#7' },
    });
    const id = communityKey('telegram', '-1007');
    assert.equal((await checkCommunitySetup(ctx, { communityId: id })).state, 'ready');
    telegram.missing.push('ban users');
    const setup = await checkCommunitySetup(ctx, { communityId: id });
    assert.deepEqual([setup.state, faults(setup)], ['broken', ['permission.ban-users']]);
  });

  test('a Telegram group is asked for the right to manage tags once a rule gives one', async () => {
    const telegram = memoryTelegram();
    telegram.missing.push('ban users', 'manage tags');
    const ctx = { ...d.as({ kind: 'system', job: 'test' }), telegram: telegram.api };
    await createCommunity(ctx, {
      body: { platform: 'telegram', communityId: '-1010', name: 'Dogs', ownerId: 'TEL#USER#7' },
    });
    const id = communityKey('telegram', '-1010');
    const links = async () =>
      (await checkCommunitySetup(ctx, { communityId: id })).checks.flatMap(({ link }) => link ?? []);
    const plain = 'https://t.me/gate_bot?startgroup=latchkey&admin=invite_users+restrict_members';
    assert.deepEqual(await links(), [plain]);
    const rule = { type: 'ERC20', chainId: 1, contractAddress: `0x${'7'.repeat(40)}`, minToken: '1' };
    await createRule(ctx, { id, body: { ...rule, roleId: 'tag:Whale' } });
    assert.deepEqual(await links(), [`${plain}+manage_tags`, `${plain}+manage_tags`]);
  });

  test('a channel and its discussion group are named to each other, with whether both are gated', async () => {
    const telegram = memoryTelegram();
    const ctx = { ...d.as({ kind: 'system', job: 'test' }), telegram: telegram.api };
    const place = (communityId: string, name: string) =>
      ({ platform: 'telegram', communityId, name, ownerId: 'TEL#USER#7' }) as const;
    const add = async (chatId: string, name: string) => {
      await createCommunity(ctx, { body: place(chatId, name) });
      return communityKey('telegram', chatId);
    };
    const gate = (id: string) =>
      createRule(ctx, {
        id,
        body: { type: 'ERC20', chainId: 1, contractAddress: `0x${'7'.repeat(40)}`, minToken: '1', roleId: 'member' },
      });
    const linkedIn = async (communityId: string) =>
      (await checkCommunitySetup(ctx, { communityId })).checks.find(({ id }) => id === 'linked-chat');
    const news = await add('-1008', 'Cat News');
    await gate(news);
    assert.equal(await linkedIn(news), undefined);
    telegram.linked.set('-1008', { chatId: '-1009', isChannel: false });
    telegram.linked.set('-1009', { chatId: '-1008', isChannel: true, title: 'Cat News' });
    const alone = await linkedIn(news);
    assert.deepEqual([alone?.state, alone?.title], ['optional', 'The discussion group']);
    assert.match(alone?.remedy ?? '', /add the bot to the discussion group and add a rule for “Member”/);
    const talk = await add('-1009', 'Cat Talk');
    const seen = await linkedIn(talk);
    assert.deepEqual([seen?.state, seen?.title], ['optional', 'The channel “Cat News”']);
    assert.match(seen?.reason ?? '', /a community here with a rule of its own for members\. Joining one does not join/);
    assert.match(
      (await linkedIn(news))?.remedy ?? '',
      /, add a rule for “Member” to the discussion group “Cat Talk”\.$/,
    );
    await gate(talk);
    assert.deepEqual([(await linkedIn(news))?.state, (await linkedIn(talk))?.state], ['ok', 'ok']);
  });

  test('invite links request only what the bot uses', async () => {
    const invitations = await listBotInvitations(d.as(discordUser('1')));
    const discord = invitations.find(({ platform }) => platform === 'discord');
    const link = new URL(discord?.inviteLink ?? '');
    assert.equal(
      BigInt(link.searchParams.get('permissions') ?? 0),
      (1n << 28n) | (1n << 10n) | (1n << 11n) | (1n << 14n),
    );
    assert.equal(discord?.permissions.length, 4);
    const telegram = invitations.find(({ platform }) => platform === 'telegram');
    assert.deepEqual([telegram?.isConfigured, telegram?.inviteLink], [false, undefined]);
    assert.match(telegram?.problem ?? '', /LATCHKEY_TELEGRAM_BOT_TOKEN/);
  });

  test('a server that the bot joined is found only by users who manage it there', async () => {
    const guild = d.emulator.createGuild({ name: 'Birds' });
    const admin = d.emulator.createRole(guild.id, { name: 'Admin', permissions: ['MANAGE_GUILD'] }).id;
    const manager = d.emulator.addMember(guild.id, { name: 'bo', roles: [admin] }).user.id;
    const member = d.emulator.addMember(guild.id, { name: 'cy' }).user.id;
    const event = { kind: 'guild-joined', guildId: guild.id, name: 'Birds', ownerId: guild.ownerId } as const;
    await takeDiscordEvent(d.services, event);
    await takeDiscordEvent(d.services, event);
    const found = async (userId: string) =>
      (await listArrivals(d.as(discordUser(userId)), {})).items.map(({ name }) => name);
    assert.deepEqual(await found(guild.ownerId), ['Birds']);
    assert.deepEqual(await found(manager), ['Birds']);
    assert.deepEqual(await found(member), []);
    const silent = await whileDown(() => listArrivals(d.as(discordUser(manager)), {}));
    assert.deepEqual(silent.items, []);
    assert.match(silent.problem ?? '', /did not return the servers/);
    await createCommunity(d.as(discordUser(manager)), {
      body: { platform: 'discord', communityId: guild.id, name: 'Birds' },
    });
    assert.deepEqual(await found(guild.ownerId), [], 'a server that was added is no longer listed');
  });

  test('a server that removed the bot again is dropped', async () => {
    const guild = d.emulator.createGuild({ name: 'Fish' });
    const { ownerId } = guild;
    await takeDiscordEvent(d.services, { kind: 'guild-joined', guildId: guild.id, name: 'Fish', ownerId });
    await takeDiscordEvent(d.services, { kind: 'guild-left', guildId: guild.id });
    assert.deepEqual((await listArrivals(d.as(discordUser(ownerId)), {})).items, []);
    assert.deepEqual((await listArrivals(d.as({ ...discordUser('1'), userId: 'EVM#USER#1' }), {})).items, []);
  });
});
