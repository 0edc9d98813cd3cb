import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { selectCommunity } from '../../communities/community-records/index.ts';
import {
  addGuild,
  type DiscordPlatform,
  discordPlatform,
  discordUser,
} from '../../communities/discord-guilds/testing.ts';
import { createRule } from '../../gating/community-rules/index.ts';
import { syncMembersNow } from '../../gating/role-changes/index.ts';
import { contextFor, type Services } from '../../shared/context.ts';
import { notifyNews } from '../admin-notices/testing.ts';
import { takeDiscordEvent } from '../discord-interactions/index.ts';
import { checkBackDoors } from './check.ts';
import { checkNow, closeBackDoor, expectBackDoor, listBackDoors } from './operations.ts';

describe('back doors to gated roles', () => {
  let d: DiscordPlatform;
  let services: Services;
  before(async () => {
    d = await discordPlatform('back-doors', { isQuick: true });
    services = d.services;
  });
  after(() => d.close());

  const system = () => contextFor(services, { kind: 'system', job: 'test' });

  const sync = async (id: string) => {
    const community = await selectCommunity(services.db.system, id);
    assert.ok(community);
    await syncMembersNow(system(), community);
  };

  /** A server with a rule for the role Whale, and a bot that may read and close everything by default. */
  async function open(permissions: Parameters<DiscordPlatform['emulator']['setPermissions']>[2] = all) {
    const guild = await addGuild(d);
    const body = { type: 'ERC20', chainId: 1, contractAddress: `0x${'1'.repeat(40)}`, roleId: guild.whale };
    await createRule(d.as(guild.owner), { id: guild.id, body });
    const botRole = [...d.emulator.getGuild(guild.guildId).roles.values()].find(({ botId }) => botId !== undefined);
    assert.ok(botRole);
    d.emulator.setPermissions(guild.guildId, botRole.id, permissions);
    const ctx = d.as(guild.owner);
    const list = () => listBackDoors(ctx, { communityId: guild.id });
    const look = async () => {
      await checkBackDoors(system(), guild.id);
      return list();
    };
    return { ...guild, ctx, list, look, botRole };
  }
  const all = ['MANAGE_ROLES', 'MANAGE_GUILD', 'VIEW_AUDIT_LOG', 'VIEW_CHANNEL', 'SEND_MESSAGES'] as const;
  const titles = ({ backDoors: items }: Awaited<ReturnType<typeof listBackDoors>>) =>
    items.map(({ title }) => title).toSorted();

  test('are listed: invites, onboarding, linked and sold roles, integrations, other bots, people', async () => {
    const { guildId, id, whale, holder, look } = await open();
    const { emulator } = d;
    const invite = emulator.createInvite(guildId, { roleIds: [whale, holder] });
    emulator.createInvite(guildId, { roleIds: [holder] });
    emulator.setOnboarding(guildId, {
      isEnabled: true,
      prompts: [{ title: 'Who are you?', options: [{ title: 'A whale', roleIds: [whale] }] }],
    });
    Object.assign(emulator.getGuild(guildId).roles.get(whale) ?? {}, { isLinked: true, isForSale: true });
    const carl = emulator.createApplication({ name: 'Carl' });
    emulator.moveRole(guildId, emulator.addBot(guildId, ['MANAGE_ROLES'], carl).id, 9);
    const weak = emulator.createApplication({ name: 'Weak' });
    emulator.addBot(guildId, ['SEND_MESSAGES'], weak);
    const low = emulator.createRole(guildId, { name: 'Low staff', permissions: ['MANAGE_ROLES'], position: 1 });
    const badge = emulator.createRole(guildId, { name: 'Badge', position: 9 });
    emulator.addMember(guildId, { name: 'ada', roles: [low.id] });
    await sync(id);
    assert.deepEqual(titles(await look()), [
      'Bot “Carl” with Manage Roles',
      `Invite ${invite.code} to #general`,
      'Linked role “Whale”',
      'Onboarding option “A whale” of “Who are you?”',
      'Server shop: “Whale”',
    ]);
    // A role below the gated one gives no power over it, until one of its members has another role above.
    emulator.addMember(guildId, { name: 'bob', roles: [low.id, badge.id] });
    await sync(id);
    const { backDoors: items } = await look();
    const staff = items.find(({ kind }) => kind === 'staff');
    assert.equal(staff?.title, 'Role “Low staff” with Manage Roles');
    assert.deepEqual(staff.holderNames, ['ada', 'bob']);
    const found = items.find(({ kind }) => kind === 'invite');
    assert.deepEqual(found?.roles, [{ id: whale, name: 'Whale' }]);
    assert.equal(found.creatorName, 'Cats owner');
    assert.equal(found.uses, 0);
    assert.ok(found.createdTime);
  });

  test('include bots that may give roles only because everyone may', async () => {
    const { guildId, id, look } = await open();
    const { emulator } = d;
    const helper = emulator.createApplication({ name: 'Helper' });
    const own = emulator.addBot(guildId, ['SEND_MESSAGES'], helper);
    emulator.moveRole(guildId, own.id, 1);
    const badge = emulator.createRole(guildId, { name: 'Badge', position: 9 });
    emulator.setMemberRoles(guildId, helper.bot.id, [own.id, badge.id]);
    await sync(id);
    assert.deepEqual(titles(await look()), []);
    emulator.setPermissions(guildId, guildId, ['MANAGE_ROLES']);
    assert.deepEqual(titles(await look()), ['Bot “Helper” with Manage Roles', 'Role “@everyone” with Manage Roles']);
  });

  test('are reported to admins once each, in one message per check, and as closed when they are gone', async () => {
    const { guildId, whale, look, ctx, id, list } = await open();
    const { emulator } = d;
    const { id: channelId } = emulator.createChannel(guildId, { name: 'latchkey-config' });
    emulator.setOverwrite(channelId, { roleId: guildId }, { deny: ['VIEW_CHANNEL'] });
    emulator.setOverwrite(
      channelId,
      { userId: emulator.application.bot.id },
      { allow: ['VIEW_CHANNEL', 'SEND_MESSAGES'] },
    );
    const told = async () => {
      await notifyNews(services);
      return emulator.sentMessages(channelId).map(({ content }) => content);
    };
    const [first, second] = [1, 2].map(() => emulator.createInvite(guildId, { roleIds: [whale] }));
    await look();
    const [message, ...more] = await told();
    assert.deepEqual(more, []);
    assert.match(message ?? '', /^Roles of rules in Cats can be had in 2 ways that go around the rules\./);
    assert.match(message ?? '', new RegExp(`• Invite ${first?.code} to #general gives Whale\\.`));
    assert.match(message ?? '', /\/security$/);
    await look();
    assert.equal((await told()).length, 1, 'nothing new');
    emulator.deleteInvite(guildId, first?.code ?? '');
    const { backDoors: items } = await look();
    await expectBackDoor(ctx, { communityId: id, backDoorId: items[0]?.id ?? '', body: { reason: 'For partners' } });
    assert.deepEqual(await told(), ['The ways around the rules in Cats are closed or expected.']);
    const [kept] = (await list()).backDoors;
    assert.equal(kept?.expected?.reason, 'For partners');
    assert.equal(kept.title, `Invite ${second?.code} to #general`);
  });

  test('are not checked on request where nothing would be read, and the answer says why', async () => {
    const { id, ctx } = await open();
    const check = () => checkNow(ctx, { communityId: id });
    assert.ok((await check()).checkedTime);
    for (const [status, why] of [
      ['paused', /is paused, so nothing was checked/],
      ['kicked', /bot is not in this Discord server/],
    ] as const) {
      await services.db.pool.query('update communities set status = $2 where id = $1', [id, status]);
      await assert.rejects(check(), { code: 'STATE_CONFLICT', message: why });
    }
  });

  test('close: an invite is deleted, an option loses the role or goes with it', async () => {
    const { guildId, whale, look, ctx, id } = await open();
    const { emulator } = d;
    const channelId = emulator.getGuild(guildId).channels.keys().next().value ?? '';
    emulator.createInvite(guildId, { roleIds: [whale] });
    emulator.setOnboarding(guildId, {
      isEnabled: true,
      defaultChannelIds: Array.from({ length: 7 }, (_, at) => emulator.createChannel(guildId, { name: `c${at}` }).id),
      prompts: [
        {
          title: 'Who are you?',
          options: [
            { title: 'A whale', roleIds: [whale] },
            { title: 'A cat', roleIds: [whale], channelIds: [channelId] },
          ],
        },
      ],
    });
    const { backDoors: items } = await look();
    const effects = items.map(({ fixEffect }) => fixEffect ?? '').join('\n');
    assert.match(effects, /The option “A whale” gives nothing else, so it is removed/);
    assert.match(effects, /The option “A cat” stays in the onboarding, without the role/);
    for (const { id: backDoorId } of items) await closeBackDoor(ctx, { communityId: id, backDoorId });
    const { invites, onboarding } = emulator.getGuild(guildId);
    assert.equal(invites.size, 0);
    const left = onboarding.prompts.flatMap(({ options }) => options.map(({ title, roleIds }) => ({ title, roleIds })));
    assert.deepEqual(left, [{ title: 'A cat', roleIds: [] }]);
    assert.deepEqual((await look()).backDoors, []);
  });

  test('that the bot cannot close say what people do, and Discord’s refusal is an error, not a success', async () => {
    const { guildId, whale, look, ctx, id } = await open(['MANAGE_ROLES', 'VIEW_AUDIT_LOG', 'VIEW_CHANNEL']);
    d.emulator.createInvite(guildId, { roleIds: [whale] });
    const { backDoors: items, unchecked } = await look();
    const [invite] = items;
    assert.equal(invite?.fixEffect, undefined);
    assert.equal(invite?.remedy, 'Delete the invite: Server Settings > Invites.');
    assert.deepEqual(unchecked, [
      {
        what: 'integrations',
        remedy:
          'The bot may not read integrations. To include them, give the bot the permission Manage Server: Server Settings > Roles.',
      },
    ]);
    await assert.rejects(closeBackDoor(ctx, { communityId: id, backDoorId: invite?.id ?? '' }), {
      code: 'STATE_CONFLICT',
    });
    assert.equal((await look()).backDoors.length, 1);
    await assert.rejects(closeBackDoor(ctx, { communityId: id, backDoorId: 'other' }), { code: 'ENTITY_NOT_FOUND' });
  });

  test('that could not be read stay listed, and a missing permission is named instead of asked against', async () => {
    const { guildId, whale, look, botRole } = await open();
    const { emulator } = d;
    emulator.createInvite(guildId, { roleIds: [whale] });
    assert.equal((await look()).backDoors.length, 1);
    const end = emulator.misbehave({ kind: 'error', on: 'GET /guilds/:guild/invites' });
    const during = await look();
    end();
    assert.equal(during.backDoors.length, 1);
    assert.match(during.unchecked[0]?.remedy ?? '', /^Discord did not return invites\./);
    emulator.setPermissions(guildId, botRole.id, ['MANAGE_ROLES', 'VIEW_CHANNEL']);
    emulator.resetCounts();
    const without = await look();
    assert.equal(without.backDoors.length, 1);
    assert.deepEqual(
      without.unchecked.map(({ what }) => what),
      ['invites', 'integrations'],
    );
    assert.equal(emulator.counts().invalid, 0, 'Discord bans addresses for refused calls');
  });

  test('are checked soon after an invite, an integration or a role changes', async () => {
    const { guildId } = await open();
    for (const event of [
      { kind: 'invite-created', guildId },
      { kind: 'integrations-changed', guildId },
      { kind: 'role-updated', guildId, roleId: guildId },
    ] as const)
      await takeDiscordEvent(services, event);
    const { rows } = await services.db.pool.query(
      `select count(*)::int as jobs from jobs where name = 'back-doors.check' and payload ->> 'communityId' = $1`,
      [`DIS#COMM#${guildId}`],
    );
    assert.deepEqual(rows, [{ jobs: 1 }], 'once for all three');
  });

  test('are of no interest to strangers’ communities', async () => {
    const { id } = await open();
    const stranger = d.as(discordUser('424242'));
    await assert.rejects(listBackDoors(stranger, { communityId: `${id}0` }), { code: 'ENTITY_NOT_FOUND' });
  });
});
