import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createRule } from '../../gating/community-rules/index.ts';
import { permissionNames } from '../../ports/index.ts';
import { putMembers } from '../memberships/index.ts';
import { botProblems, checkBotConfig } from './check-bot.ts';
import { createRole, listOwnCommunities, listOwnMembers, sendMessage } from './guild-operations.ts';
import { keepInteraction } from './interaction-state.ts';
import { removeExpiredInteractions } from './jobs.ts';
import { listActiveMembers, listMembers } from './member-operations.ts';
import { deleteMessage, editMessage, followUp, getMessage } from './operations.ts';
import { getGuild, getMember, getMemberCount, listChannels, listRoles } from './reads.ts';
import { addGuild, answeredInteraction, type DiscordPlatform, discordPlatform, discordUser } from './testing.ts';

describe('the discord operations', () => {
  let d: DiscordPlatform;
  before(async () => {
    d = await discordPlatform('discord');
  });
  after(() => d.close());
  beforeEach(() => d.emulator.behave());

  test('a server is read as Discord shows it, by either of its ids', async () => {
    const { guildId, id, owner, holder } = await addGuild(d);
    for (const given of [guildId, id]) {
      const guild = await getGuild(d.as(owner), { guildId: given });
      assert.equal(guild.id, guildId);
      assert.equal(guild.memberCount, 2);
      assert.deepEqual(
        guild.channels?.map(({ name, type }) => ({ name, type })),
        [{ name: 'general', type: 'text' }],
      );
      assert.ok(guild.roles?.some((role) => role.id === holder && role.name === 'Holder'));
    }
    assert.deepEqual(await getMemberCount(d.as(owner), { guildId }), { id: guildId, memberCount: 2 });
    const roles = await listRoles(d.as(owner), { guildId });
    assert.equal(roles[0]?.name, 'Latchkey');
    assert.deepEqual(roles[0]?.permissions?.slice(0, 2), ['CreateInstantInvite', 'KickMembers']);
    assert.equal(roles[0]?.managed, true);
    const { items } = await listChannels(d.as(owner), { id: guildId });
    assert.match(items[0]?.link ?? '', new RegExp(`^https://discord.com/channels/${guildId}/\\d+$`));
  });

  test('members are read one by one, forward and backward', async () => {
    const { guildId, owner, holder } = await addGuild(d);
    const ids = Array.from({ length: 30 }, () => d.emulator.addMember(guildId, { roles: [holder] }).user.id);
    const own = d.as(owner);
    assert.deepEqual((await getMember(own, { guildId, memberId: ids[3] ?? '' })).roles, [holder]);
    await assert.rejects(getMember(own, { guildId, memberId: '123456789012345678' }), { code: 'ENTITY_NOT_FOUND' });
    const idsOf = async (page: Parameters<typeof listMembers>[1]) =>
      (await listMembers(own, page)).map(({ user }) => user?.id);
    assert.deepEqual(await idsOf({ guildId, limit: 5, after: ids[9] }), ids.slice(10, 15));
    assert.deepEqual(await idsOf({ guildId, limit: 5, before: ids[9] }), ids.slice(4, 9));
    assert.deepEqual(await idsOf({ guildId, limit: 5, before: ids[9], after: ids[6] }), ids.slice(7, 9));
    assert.equal((await idsOf({ guildId })).length, 32);
  });

  test('a role is created below the bot, and one with moderation power is refused', async () => {
    const { guildId, owner } = await addGuild(d);
    const own = d.as(owner);
    const role = await createRole(own, {
      guildId,
      body: { name: 'Diamond', color: '#00ff10', hoist: true, position: 2 },
    });
    assert.equal(role.color, 0x00ff10);
    assert.equal(d.emulator.getGuild(guildId).roles.get(role.id ?? '')?.position, 2);
    const count = d.emulator.getGuild(guildId).roles.size;
    for (const [path, body] of [
      ['/permissions', { name: 'Boss', permissions: 8 }],
      ['/permissions', { name: 'Boss', permissions: 2 ** 28 }],
      ['/color', { name: 'Red', color: 'reddish' }],
    ] as const)
      await assert.rejects(createRole(own, { guildId, body }), (error: Error & { details?: unknown }) => {
        assert.equal((error.details as { path: string }[])[0]?.path, path);
        return true;
      });
    assert.equal(d.emulator.getGuild(guildId).roles.size, count);
  });

  test('a message goes only to a channel of that server, and pings no one by default', async () => {
    const { guildId, owner } = await addGuild(d);
    const elsewhere = await addGuild(d);
    const channelOf = (id: string) => [...d.emulator.getGuild(id).channels.keys()][0] ?? '';
    const body = { content: 'hello @everyone' };
    const messageId = await sendMessage(d.as(owner), { guildId, channelId: channelOf(guildId), body });
    assert.equal(d.emulator.sentMessages(channelOf(guildId))[0]?.id, messageId);
    for (const channelId of [channelOf(elsewhere.guildId), '123456789012345678'])
      await assert.rejects(sendMessage(d.as(owner), { guildId, channelId, body }), { code: 'ENTITY_NOT_FOUND' });
    assert.equal(d.emulator.sentMessages(channelOf(elsewhere.guildId)).length, 0);
    const embeds = Array.from({ length: 11 }, () => ({ title: 'x' }));
    for (const [unusable, reason] of [
      [{}, /Cannot send an empty message/],
      [{ content: '', embeds: [] }, /Cannot send an empty message/],
      [{ content: 'x', embeds }, /embeds: Must be 10 or fewer/],
    ] as const)
      await assert.rejects(
        sendMessage(d.as(owner), { guildId, channelId: channelOf(guildId), body: unusable }),
        (error: Error & { code?: string }) => error.code === 'VALIDATION_FAILED' && reason.test(error.message),
      );
    assert.equal(d.emulator.sentMessages(channelOf(guildId)).length, 1);
  });

  test('the bot’s configuration is reported as fine, or with its problems', async () => {
    const { guildId, id, owner, holder } = await addGuild(d);
    const check = () => checkBotConfig(d.as(owner), { communityId: id });
    const rule = { type: 'ERC721', chainId: 1, contractAddress: `0x${'1'.repeat(40)}`, roleId: holder };
    await createRule(d.as(owner), { id, body: rule });
    const first = await check();
    assert.equal(first.status, 'invalid');
    const codesOf = ({ errors = [] }: Awaited<ReturnType<typeof check>>) => errors.map(({ code }) => code);
    assert.deepEqual(codesOf(first), [
      'MISSING_PERMISSION',
      'MISSING_PERMISSION',
      'CHANNEL_MISSING',
      'CHANNEL_MISSING',
    ]);
    assert.deepEqual(first.errors?.[0]?.details, { permission: 'BanMembers', critical: true });
    assert.match(first.errors?.[0]?.link ?? '', /^https:\/\/discord.com\/oauth2\/authorize\?client_id=1000/);

    const botRole = [...d.emulator.getGuild(guildId).roles.values()].find(({ botId }) => botId !== undefined);
    const all = [
      'MANAGE_ROLES',
      'BAN_MEMBERS',
      'MANAGE_CHANNELS',
      'SEND_MESSAGES',
      'VIEW_CHANNEL',
      'EMBED_LINKS',
    ] as const;
    d.emulator.setPermissions(guildId, botRole?.id ?? '', all);
    d.emulator.createChannel(guildId, { name: 'collabland-config' });
    assert.deepEqual(codesOf(await check()), ['CHANNEL_MISSING']);
    assert.equal((await check()).status, 'incomplete');
    const join = d.emulator.createChannel(guildId, { name: 'latchkey-join' });
    assert.deepEqual(await check(), { status: 'valid', errors: [] });

    d.emulator.setOverwrite(join.id, { roleId: guildId }, { deny: ['SEND_MESSAGES'] });
    assert.deepEqual(codesOf(await check()), ['CHANNEL_CLOSED']);
    d.emulator.moveRole(guildId, holder, 99);
    const above = await check();
    assert.deepEqual(codesOf(above), ['ROLE_ABOVE_BOT', 'CHANNEL_CLOSED']);
    assert.match(above.errors?.[0]?.action ?? '', /Move the role "Holder" below the bot's role "Latchkey"/);
    d.emulator.removeMember(guildId, d.emulator.application.bot.id);
    assert.deepEqual(codesOf(await check()), ['BOT_NOT_IN_SERVER']);
  });

  test('a user sees their own communities and memberships, and a stranger none', async () => {
    const { guildId, id, owner, holder } = await addGuild(d);
    const member = d.emulator.addMember(guildId, { roles: [holder] }).user.id;
    await putMembers(
      d.services.db.system,
      id,
      [{ userId: `DIS#USER#${member}`, roleIds: [holder] }],
      d.services.clock(),
    );
    const mine = await listOwnCommunities(d.as(owner));
    assert.deepEqual(
      mine.map(({ id, isAdmin }) => ({ id, isAdmin })),
      [{ id, isAdmin: true }],
    );
    const theirs = await listOwnCommunities(d.as(discordUser(member)));
    assert.deepEqual(
      theirs.map(({ id, isAdmin }) => ({ id, isAdmin })),
      [{ id, isAdmin: false }],
    );
    const [membership] = await listOwnMembers(d.as(discordUser(member)));
    assert.deepEqual([membership?.guild_id, membership?.guild_name, membership?.roles], [guildId, 'Cats', [holder]]);
    assert.deepEqual(await listOwnCommunities(d.as(discordUser('123456789012345678'))), []);
    const telegram = {
      kind: 'user',
      userId: 'TEL#USER#1',
      platform: 'telegram',
      scopes: ['$all'],
      credential: 'wallet-session',
    } as const;
    assert.deepEqual(await listOwnMembers(d.as(telegram)), []);
  });

  test('members who wrote are listed page by page, without those who left', async () => {
    const { guildId, id, owner } = await addGuild(d);
    const db = d.services.db.system;
    const users = ['11', '12', '13', '14'].map((n) => `DIS#USER#${n}`);
    await putMembers(
      db,
      id,
      users.map((userId) => ({ userId, roleIds: [] })),
      d.services.clock(),
    );
    const at = d.services.clock();
    await db
      .updateTable('community_members')
      .set({ last_active_at: at })
      .where('user_id', 'in', users.slice(0, 3))
      .execute();
    await db
      .updateTable('community_members')
      .set({ left_at: at })
      .where('user_id', '=', users[1] ?? '')
      .execute();
    const list = (limit: number, paginationToken?: string) =>
      listActiveMembers(d.as(owner), { guildId, limit, paginationToken });
    const [first] = await list(1);
    assert.deepEqual(first, {
      pk: id,
      sk: 'ACTIVE_MEMBER#DIS#USER#11',
      classifier: 'ACTIVE_MEMBER',
      source: 'discord',
      timestamp: at.getTime(),
    });
    assert.deepEqual(
      (await list(5, first?.sk)).map(({ sk }) => sk),
      ['ACTIVE_MEMBER#DIS#USER#13'],
    );
    await assert.rejects(list(5, 'garbage'), { code: 'INVALID_PAGINATION_TOKEN' });
  });

  test('an outage, a missing bot and another platform’s community each get their own error', async () => {
    const { guildId, owner } = await addGuild(d);
    d.emulator.misbehave({ kind: 'error', status: 500 });
    await assert.rejects(listRoles(d.as(owner), { guildId }), { code: 'UNAVAILABLE' });
    d.emulator.behave();
    await assert.rejects(
      listRoles({ ...d.as(owner), discord: undefined }, { guildId }),
      /Discord is not configured\. Set LATCHKEY_/,
    );
    d.emulator.removeMember(guildId, d.emulator.application.bot.id);
    await assert.rejects(listRoles(d.as(owner), { guildId }), { code: 'ENTITY_NOT_FOUND' });
    await assert.rejects(listRoles(d.as(owner), { guildId: 'TEL#COMM#1' }), { code: 'ENTITY_NOT_FOUND' });
  });

  test('every problem of the bot is documented, and no other', async () => {
    const page = await readFile(new URL('../../../../../docs/discord.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (.+?) \|/gm)].map(([, code, meaning]) => [code, meaning]);
    assert.deepEqual(Object.fromEntries(rows), botProblems);
  });

  test('permissions are shown by name', () => {
    assert.deepEqual(permissionNames(String((1n << 3n) | (1n << 28n) | (1n << 40n) | (1n << 50n))), [
      'Administrator',
      'ManageRoles',
      'ModerateMembers',
      'UseExternalApps',
    ]);
  });

  describe('answers to interactions', () => {
    async function start() {
      const { guildId, id, owner } = await addGuild(d);
      const channelId = [...d.emulator.getGuild(guildId).channels.keys()][0] ?? '';
      const { application } = d.emulator;
      const token = await answeredInteraction(d, guildId, channelId);
      const interactionId = await keepInteraction(d.as(owner), { applicationId: application.id, token }, id);
      return { interactionId, token, ctx: d.as({ kind: 'anonymous' }) };
    }

    test('a caller that knows the interaction’s id writes, changes, reads and deletes messages', async () => {
      const { ctx, interactionId } = await start();
      const sent = await followUp(ctx, { interactionId, body: { content: 'working on it' } });
      assert.equal(typeof sent.id, 'string');
      const messageId = String(sent.id);
      const edited = await editMessage(ctx, { interactionId, messageId, body: { content: 'done' } });
      assert.equal(edited.content, 'done');
      assert.equal((await getMessage(ctx, { interactionId, messageId })).content, 'done');
      await editMessage(ctx, { interactionId, messageId: '@original', body: { content: 'first' } });
      await deleteMessage(ctx, { interactionId, messageId });
      await assert.rejects(getMessage(ctx, { interactionId, messageId }), { code: 'ENTITY_NOT_FOUND' });
    });

    test('no message pings a whole server or role through one', async () => {
      const { ctx, interactionId } = await start();
      assert.ok(ctx.discord);
      const sent: unknown[] = [];
      const discord = Object.assign(Object.create(ctx.discord), {
        followUp: async (_handle: unknown, message: { allowed_mentions: unknown }) => {
          sent.push(message.allowed_mentions);
          return { id: '1' };
        },
      });
      const requested = [
        { parse: ['everyone', 'roles', 'users'] },
        { parse: ['everyone'], roles: ['1'] },
        undefined,
        'x',
      ];
      for (const allowed_mentions of requested)
        await followUp({ ...ctx, discord }, { interactionId, body: { content: '@everyone', allowed_mentions } });
      assert.deepEqual(sent, [{ parse: ['users'] }, { parse: [] }, { parse: [] }, { parse: [] }]);
    });

    test('an id that was never issued and an expired one look the same, and the token is stored encrypted', async () => {
      const { ctx, interactionId, token } = await start();
      const never = await followUp(ctx, { interactionId: 'x'.repeat(32), body: {} }).catch(
        (error: Error) => error.message,
      );
      const rows = await d.services.db.system.selectFrom('discord_interactions').selectAll().execute();
      const written = JSON.stringify(rows) + d.t.log.lines.join('\n');
      for (const secret of [token, interactionId]) assert.ok(!written.includes(secret));
      d.t.advanceSeconds(15 * 60);
      const over = await followUp(ctx, { interactionId, body: {} }).catch((error: Error) => error.message);
      assert.equal(over, never);
      await removeExpiredInteractions.run(
        d.services,
        {},
        { id: 'job', attempt: 1, signal: new AbortController().signal },
      );
      assert.deepEqual(await d.services.db.system.selectFrom('discord_interactions').selectAll().execute(), []);
    });
  });
});
