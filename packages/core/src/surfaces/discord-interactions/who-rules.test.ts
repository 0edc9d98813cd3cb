import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { type Actor, AppError, type ErrorCode } from '@latchkey/kernel';
import { confirmedCommunityAdmin, selectAdminIds } from '../../communities/access/index.ts';
import { communityJobs } from '../../communities/admins/index.ts';
import { createCommunity, refuseBadRoles } from '../../communities/community/index.ts';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { checkBotConfig } from '../../communities/discord-guilds/check-bot.ts';
import {
  addGuild,
  type DiscordPlatform,
  discordPlatform,
  discordUser,
} from '../../communities/discord-guilds/testing.ts';
import { createRule } from '../../gating/community-rules/index.ts';
import { listBlockedRoles, reconcileCommunityJob, writeWaiting } from '../../gating/role-changes/index.ts';
import { contextFor } from '../../shared/context.ts';
import { takeDiscordEvent } from './take-event.ts';

const ban = { name: 'Moderator', permissions: ['BAN_MEMBERS'] } as const;

/** Runs against the Discord emulator, over the real protocol. */
describe('admins of a Discord community', () => {
  let d: DiscordPlatform;
  before(async () => {
    d = await discordPlatform('who-rules-discord');
  });
  after(() => d.close());
  beforeEach(() => d.emulator.behave());

  function refusal(code: ErrorCode) {
    return (error: unknown) => error instanceof AppError && error.code === code;
  }
  const nativeIdOf = ({ userId }: { userId: string }) => userId.split('#').at(-1) ?? '';
  const maySave = (actor: Actor, id: string) => confirmedCommunityAdmin('id').object?.admits(d.as(actor), id);
  const standing = async (id: string) => ({
    ownerId: (await selectCommunity(d.services.db.system, id))?.owner_id,
    admins: (await selectAdminIds(d.services.db.system, id)).map(({ user_id }) => user_id),
  });

  /** A guild added by a member whose only role has these permissions. */
  function guildOf(permissions: Parameters<DiscordPlatform['emulator']['setPermissions']>[2]) {
    const guild = d.emulator.createGuild({ name: 'Cats' });
    const role = d.emulator.createRole(guild.id, { name: 'Staff', permissions });
    const staff = discordUser(d.emulator.addMember(guild.id, { roles: [role.id] }).user.id);
    const add = () => createCommunity(d.as(staff), { body: { platform: 'discord', communityId: guild.id } });
    return {
      guildId: guild.id,
      id: `DIS#COMM#${guild.id}`,
      platformOwner: `DIS#USER#${guild.ownerId}`,
      role,
      staff,
      add,
    };
  }

  /** Runs the pending checks of admins, as the worker would. */
  async function work(): Promise<number> {
    const jobs = await d.services.db.system.deleteFrom('jobs').returning(['name', 'payload']).execute();
    const questions = jobs.filter(({ name }) => name === 'communities.confirm-admins');
    const ctx = contextFor(d.services, { kind: 'system', job: 'test' });
    for (const { payload } of questions)
      await communityJobs[0].run(ctx, payload as { communityId: string }, {
        id: '1',
        attempt: 1,
        signal: new AbortController().signal,
      });
    return questions.length;
  }

  test('Administrator or Manage Server makes one an owner, Manage Roles does not', async () => {
    for (const permission of ['ADMINISTRATOR', 'MANAGE_GUILD'] as const)
      assert.equal((await guildOf([permission]).add()).platform, 'discord');
    for (const permission of ['MANAGE_ROLES', 'BAN_MEMBERS', 'MANAGE_CHANNELS', 'VIEW_CHANNEL'] as const)
      await assert.rejects(guildOf([permission]).add(), refusal('ROLE_NOT_ALLOWED'));
  });

  test('a moderator who lost Manage Server cannot change rules, and the server’s owner gets the community', async () => {
    const { guildId, id, staff, role, platformOwner, add } = guildOf(['MANAGE_GUILD']);
    await add();
    assert.equal(await maySave(staff, id), true);
    d.emulator.setMemberRoles(guildId, nativeIdOf(staff), []);
    await assert.rejects(async () => maySave(staff, id), refusal('ROLE_NOT_ALLOWED'));
    assert.deepEqual(await standing(id), { ownerId: platformOwner, admins: [platformOwner] });
    d.emulator.setMemberRoles(guildId, nativeIdOf(staff), [role.id]);
    assert.equal(await maySave(staff, id), false, 'until they are added again or reload their list');
    assert.equal(await maySave(discordUser(platformOwner.split('#').at(-1) ?? ''), id), true);
  });

  test('Discord’s role and member events trigger a re-check', async () => {
    const reasons = {
      'the role was changed': ({ guildId, role }) => {
        d.emulator.setPermissions(guildId, role.id, ['VIEW_CHANNEL']);
        return { kind: 'role-updated', guildId, roleId: role.id };
      },
      'the member lost the role': ({ guildId, staff }) => {
        d.emulator.setMemberRoles(guildId, nativeIdOf(staff), []);
        const userId = nativeIdOf(staff);
        return { kind: 'member-updated', guildId, userId, userName: 'staff', roleIds: [], isBot: false };
      },
      'the member left': ({ guildId, staff }) => {
        d.emulator.removeMember(guildId, nativeIdOf(staff));
        return { kind: 'member-left', guildId, userId: nativeIdOf(staff) };
      },
    } satisfies Record<string, (guild: ReturnType<typeof guildOf>) => Parameters<typeof takeDiscordEvent>[1]>;
    for (const [reason, happen] of Object.entries(reasons)) {
      const guild = guildOf(['MANAGE_GUILD']);
      await guild.add();
      await takeDiscordEvent(d.services, happen(guild));
      assert.equal(await work(), 1, reason);
      assert.deepEqual((await standing(guild.id)).admins, [guild.platformOwner], reason);
    }
    const { guildId, add } = guildOf(['MANAGE_GUILD']);
    await add();
    const other = d.emulator.addMember(guildId).user.id;
    await takeDiscordEvent(d.services, { kind: 'member-left', guildId, userId: other });
    assert.equal(await work(), 0, 'plain members are not checked');
  });

  test('an outage, or a member wrongly shown without roles, demotes no one', async () => {
    const { id, staff, add } = guildOf(['MANAGE_GUILD']);
    await add();
    const end = d.emulator.misbehave({ kind: 'error', status: 503 });
    assert.equal(await maySave(staff, id), true, 'confirmed a moment ago');
    end();
    d.emulator.misbehave({ kind: 'empty-roles', on: 'GET', count: 1 });
    assert.equal(await maySave(staff, id), true);
    assert.deepEqual((await standing(id)).ownerId, staff.userId);
  });

  test('a role with moderation permissions is refused by name; what every member may do does not count', async () => {
    const { guildId, id, owner } = await addGuild(d);
    const mods = d.emulator.createRole(guildId, ban).id;
    await assert.rejects(refuseBadRoles(d.as(owner), id, [{ roleId: mods, path: '/roleId' }]), (error) => {
      assert.ok(error instanceof AppError && error.code === 'VALIDATION_FAILED');
      assert.match(error.message, /The role "Moderator" has Ban Members, so people must give it in Discord/);
      return true;
    });
    const mentionEveryone = 1n << 17n;
    d.emulator.setPermissions(guildId, guildId, mentionEveryone);
    const plain = d.emulator.createRole(guildId, { name: 'Plain', permissions: mentionEveryone }).id;
    await refuseBadRoles(d.as(owner), id, [{ roleId: plain, path: '/roleId' }]);
    d.emulator.setPermissions(guildId, guildId, 0n);
    await assert.rejects(refuseBadRoles(d.as(owner), id, [{ roleId: plain, path: '/roleId' }]), /Mention @everyone/);
  });

  test('a role that gained moderation permissions after its rule was saved is not granted, and bot validation says why', async () => {
    const { guildId, id, owner, holder, whale } = await addGuild(d);
    const rule = { type: 'ERC20', chainId: 1, contractAddress: `0x${'a'.repeat(40)}`, minToken: '1' };
    for (const roleId of [holder, whale]) await createRule(d.as(owner), { id, body: { ...rule, roleId } });
    const member = d.emulator.addMember(guildId).user.id;
    const address = `0x${'b'.repeat(40)}`;
    await d.services.db.pool.query(
      `insert into wallet_connections (id, user_id, platform, namespace, address, created_at)
       values ('who-rules', $1, 'discord', 'evm', $2, $3)`,
      [`DIS#USER#${member}`, address, d.services.clock()],
    );
    d.t.holdings.set({ chain: 'evm:1', standard: 'erc20', reference: rule.contractAddress, account: address }, '1');
    d.emulator.setPermissions(guildId, whale, ['KICK_MEMBERS']);
    const ctx = contextFor(d.services, { kind: 'system', job: 'test' });
    const resync = async () => {
      await reconcileCommunityJob(ctx, id);
      await writeWaiting(ctx, id, new AbortController().signal);
    };
    const rolesOf = () => [...(d.emulator.getGuild(guildId).members.get(member)?.roles ?? [])];
    await resync();
    assert.deepEqual(rolesOf(), [holder]);
    const [stop] = await listBlockedRoles(d.as(owner), id);
    assert.deepEqual([stop?.roleId, /The role "Whale" has Kick Members/.test(stop?.advice ?? '')], [whale, true]);
    const { errors = [] } = await checkBotConfig(d.as(owner), { communityId: id });
    assert.ok(errors.some(({ code, action }) => code === 'ROLE_RULING' && action?.includes('Kick Members')));

    d.emulator.setPermissions(guildId, whale, []);
    await takeDiscordEvent(d.services, { kind: 'role-updated', guildId, roleId: whale });
    await writeWaiting(ctx, id, new AbortController().signal);
    assert.deepEqual(rolesOf().toSorted(), [holder, whale].toSorted());
  });
});
