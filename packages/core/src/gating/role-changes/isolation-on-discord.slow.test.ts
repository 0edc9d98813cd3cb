import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { seed, volume } from '@latchkey/test-kit';
import { refuseBadRoles } from '../../communities/community/index.ts';
import { checkBotConfig } from '../../communities/discord-guilds/check-bot.ts';
import { addGuild, type DiscordPlatform, discordPlatform } from '../../communities/discord-guilds/testing.ts';
import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import { contextFor } from '../../shared/context.ts';
import { takeDiscordEvent } from '../../surfaces/discord-interactions/take-event.ts';
import { seededRandom } from '../../testing/index.ts';
import { createRule, removeRule } from '../community-rules/index.ts';
import { writeWaiting } from './applying/write-community.ts';
import { reconcileCommunityJob } from './jobs.ts';
import { rejectChangeSet } from './review/decide.ts';
import { listBlockedRoles, listChangeSets } from './review/reads.ts';
import { erc20Rule } from './testing/index.ts';

const nowhere = '123456789012345678';
const contractOf = (at: number) => `0x${(0xbb00 + at).toString(16).padStart(40, '0')}`;

/** Runs against the Discord emulator, which like Discord refuses a member's whole write for one bad role. */
describe('rules that Discord refuses', () => {
  let d: DiscordPlatform;
  let people = 0;
  before(async () => {
    d = await discordPlatform('isolation-on-discord', { isQuick: true });
    d.services.settings.gating = { heldRemovalShare: 1, heldRemovalsPerDay: 1_000_000 };
  });
  after(() => d.close());

  const ctx = () => contextFor(d.services, { kind: 'system', job: 'test' });
  const write = (id: string) => writeWaiting(ctx(), id, new AbortController().signal);
  const resync = async (id: string, members: readonly string[] | '*' = '*') => {
    await enqueueReconcile(d.services.db.system, { communityId: id, members, cause: 'schedule' });
    await reconcileCommunityJob(ctx(), id);
    await write(id);
  };

  /**
   * Adds members with one wallet each. `roles` and `holds` return, by member number, their roles and the contracts they
   * hold.
   */
  async function fill(
    guildId: string,
    count: number,
    { roles, holds }: { roles(member: number): string[]; holds(member: number): number[] },
  ): Promise<string[]> {
    const users: string[] = [];
    for (let member = 0; member < count; member += 1) {
      people += 1;
      const userId = d.emulator.addMember(guildId, { roles: roles(member) }).user.id;
      const account = `0x${(0xcc0000 + people).toString(16).padStart(40, '0')}`;
      await d.services.db.pool.query(
        `insert into wallet_connections (id, user_id, platform, namespace, address, created_at)
         values ($1, $2, 'discord', 'evm', $3, $4)`,
        [`w${people}`, `DIS#USER#${userId}`, account, d.services.clock()],
      );
      for (const at of holds(member))
        d.t.holdings.set({ chain: 'evm:1', standard: 'erc20', reference: contractOf(at), account }, '1');
      users.push(userId);
    }
    return users;
  }

  const refusedCalls = () => {
    const { byStatus } = d.emulator.counts();
    return (byStatus[400] ?? 0) + (byStatus[403] ?? 0) + (byStatus[404] ?? 0);
  };
  const writeCalls = () =>
    Object.entries(d.emulator.counts().byRoute)
      .filter(([label]) => /^(PUT|PATCH|DELETE) \/guilds\/:guild\/members/.test(label))
      .reduce((sum, [, count]) => sum + count, 0);

  it('a missing role stops nothing else, is shown, disappears with its rule, and could not have been saved', async () => {
    const { guildId, id, owner } = await addGuild(d);
    const roles = Array.from({ length: 4 }, (_, at) => d.emulator.createRole(guildId, { name: `Role ${at}` }).id);
    for (const [at, roleId] of roles.entries())
      await createRule(d.as(owner), { id, body: erc20Rule(roleId, '1', contractOf(at)) });
    const broken = await createRule(d.as(owner), { id, body: erc20Rule(nowhere, '1', contractOf(0)) });
    const everything = [0, 1, 2, 3];
    const users = await fill(guildId, 15, { roles: () => [], holds: (member) => (member < 14 ? everything : [0, 1]) });
    const rolesOf = (user = '') => [...(d.emulator.getGuild(guildId).members.get(user)?.roles ?? [])].toSorted();
    d.emulator.resetCounts();
    await resync(id);
    for (const user of users.slice(0, 14)) assert.deepEqual(rolesOf(user), roles.toSorted());
    assert.equal(rolesOf(users[14]).length, 2, 'all 58 grants were applied');
    assert.equal(refusedCalls(), 0, 'faults that are visible in advance are not tried');

    await d.services.db.pool.query('delete from wallet_connections where user_id = $1', [`DIS#USER#${users[3]}`]);
    await resync(id, [`DIS#USER#${users[3]}`]);
    assert.deepEqual(rolesOf(users[3]), [], 'a member who unlinked all wallets keeps none of the four roles');

    const [stop, ...others] = await listBlockedRoles(d.as(owner), id);
    assert.deepEqual([stop?.roleId, stop?.userId, stop?.fault, others.length], [nowhere, undefined, 'missing', 0]);
    const { status, errors = [] } = await checkBotConfig(d.as(owner), { communityId: id });
    assert.equal(status, 'invalid');
    assert.ok(errors.some(({ code }) => code === 'ROLE_MISSING'));
    await assert.rejects(refuseBadRoles(d.as(owner), id, [{ roleId: nowhere, path: '/roleId' }]), {
      code: 'VALIDATION_FAILED',
      message: /must name another role\. The role is not in the Discord server/,
    });

    const { items: changeSets } = await listChangeSets(d.as(owner), id);
    const failed = changeSets.find((changeSet) => changeSet.status === 'failed');
    await rejectChangeSet(d.as(owner), failed?.id ?? '');
    await removeRule(d.as(owner), { id, tpcId: broken.sk ?? '' });
    await reconcileCommunityJob(ctx(), id);
    await write(id);
    assert.deepEqual(await listBlockedRoles(d.as(owner), id), []);
    const left = await checkBotConfig(d.as(owner), { communityId: id });
    assert.ok(!left.errors?.some(({ code }) => code?.startsWith('ROLE_')));
  });

  it('a bot without Manage Roles tries nothing, and resumes as soon as Discord reports the permission', async () => {
    const { guildId, id, owner, holder } = await addGuild(d);
    await createRule(d.as(owner), { id, body: erc20Rule(holder, '1', contractOf(0)) });
    const users = await fill(guildId, 3, { roles: () => [], holds: () => [0] });
    const guild = d.emulator.getGuild(guildId);
    const holders = () => users.filter((user) => guild.members.get(user)?.roles.has(holder)).length;
    const own = [...guild.roles.values()].find((role) => role.botId === d.emulator.application.id);
    d.emulator.setPermissions(guildId, own?.id ?? '', ['VIEW_CHANNEL']);
    d.emulator.resetCounts();
    await resync(id);
    assert.deepEqual([holders(), refusedCalls()], [0, 0]);
    const breakers = await listBlockedRoles(d.as(owner), id);
    assert.deepEqual(
      breakers.map(({ roleId, userId, fault }) => [roleId, userId, fault]),
      [[undefined, undefined, 'permission']],
    );
    d.emulator.setPermissions(guildId, own?.id ?? '', ['MANAGE_ROLES']);
    await d.services.db.pool.query('delete from jobs');
    const bot = { userId: d.emulator.application.bot.id, userName: 'Latchkey', roleIds: [own?.id ?? ''], isBot: true };
    await takeDiscordEvent(d.services, { kind: 'member-updated', guildId, ...bot });
    const { rows } = await d.services.db.pool.query("select from jobs where name = 'gating.write'");
    assert.equal(rows.length, 1, 'the writer is woken');
    await write(id);
    assert.deepEqual([holders(), await listBlockedRoles(d.as(owner), id)], [3, []]);
  });

  it('eight rules of twelve are broken in eight ways, before and while members are written', async () => {
    const count = volume(20, 200);
    const random = seededRandom(seed('isolation on discord'));
    const draw = () => Buffer.from(random.bytes(4)).readUInt32BE() / 4_294_967_296;
    const { guildId, id, owner } = await addGuild(d);
    const guild = d.emulator.getGuild(guildId);
    const made = Array.from({ length: 11 }, (_, at) => d.emulator.createRole(guildId, { name: `Role ${at}` }).id);
    const roles = [...made, guildId];
    const [missing = '', managed = '', above = '', ruling = '', deleted = '', moved = '', unreadable = ''] = made;
    const broken = new Set([missing, managed, above, ruling, deleted, moved, unreadable, guildId]);
    for (const [at, roleId] of roles.entries())
      await createRule(d.as(owner), { id, body: erc20Rule(roleId, '1', contractOf(at)) });
    const deserved: Set<string>[] = [];
    const users = await fill(guildId, count, {
      roles: () => made.filter(() => draw() < 0.3),
      holds: (member) => {
        const held = roles.map((_, at) => at).filter(() => draw() < 0.5);
        deserved[member] = new Set(held.map((at) => roles[at] ?? ''));
        return held;
      },
    });
    const snapshot = () => users.map((user) => new Set(guild.members.get(user)?.roles ?? []));

    d.emulator.deleteRole(guildId, missing);
    d.emulator.moveRole(guildId, above, 99);
    d.emulator.setPermissions(guildId, ruling, ['BAN_MEMBERS']);
    const managedRole = guild.roles.get(managed);
    if (managedRole) managedRole.managed = true;
    await d.services.db.pool.query(
      `update community_rules set definition = '{"type":"ERC20"}' where community_id = $1 and role_id = $2`,
      [id, unreadable],
    );
    const before = snapshot();
    const { discord: host } = d.services.hosts;
    assert.ok(host);
    let started = 0;
    d.services.hosts = {
      discord: {
        ...host,
        writeMember: (change, signal) => {
          started += 1;
          if (started === Math.ceil(count / 2)) {
            d.emulator.deleteRole(guildId, deleted);
            d.emulator.moveRole(guildId, moved, 99);
          }
          return host.writeMember(change, signal);
        },
      },
    };
    d.emulator.resetCounts();
    await resync(id);
    d.services.hosts = { discord: host };

    const wrong: string[] = [];
    for (const [at, now] of snapshot().entries())
      for (const roleId of roles) {
        const [was, is, ought] = [before[at]?.has(roleId), now.has(roleId), deserved[at]?.has(roleId)];
        const mayLose = roleId === ruling && was && !ought;
        if (!broken.has(roleId) || mayLose ? is !== ought : is !== was && is !== ought && roleId !== deleted)
          wrong.push(`${at}/${roleId}`);
        if (broken.has(roleId) && ![ruling, moved, deleted].includes(roleId) && is !== was)
          wrong.push(`${at}!${roleId}`);
      }
    assert.deepEqual(wrong, [], 'every valid change is written, and none that is wrong');

    // Two calls for a member who has no role yet and gains several, otherwise one. Members who held the deleted role no
    // longer match the list that was planned from, so their list is not replaced and each change is one call.
    const changesOf = (at: number) => roles.filter((roleId) => before[at]?.has(roleId) !== deserved[at]?.has(roleId));
    const callsFor = (held: ReadonlySet<string>, at: number) =>
      held.has(deleted) ? changesOf(at).length : held.size === 0 ? 2 : 1;
    const needed = before.reduce((sum, held, at) => sum + callsFor(held, at), 0);
    // One try for each of the two roles that broke during the run, plus a call of the other kind that was in flight.
    assert.ok(refusedCalls() <= 2 * 2, `${refusedCalls()} refused`);
    assert.ok(
      writeCalls() <= needed + refusedCalls(),
      `${writeCalls()} calls, ${needed} needed, ${refusedCalls()} refused`,
    );
    assert.equal(d.emulator.counts().noOpWrites, 0);

    const breakers = await listBlockedRoles(d.as(owner), id);
    const faults = new Map(breakers.map(({ roleId = '', fault }) => [roleId, fault]));
    assert.deepEqual(
      faults,
      new Map(
        [
          [missing, 'missing'],
          [managed, 'managed'],
          [above, 'above-bot'],
          [ruling, 'ruling'],
          [deleted, 'missing'],
          [moved, 'above-bot'],
          [guildId, 'everyone'],
        ].toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)) as [string, 'missing'][],
      ),
    );

    for (const roleId of [above, moved]) d.emulator.moveRole(guildId, roleId, 1);
    d.emulator.setPermissions(guildId, ruling, []);
    if (managedRole) managedRole.managed = false;
    await takeDiscordEvent(d.services, { kind: 'role-updated', guildId, roleId: above });
    await write(id);
    const healed = snapshot();
    for (const roleId of [above, ruling, managed])
      for (const [at, now] of healed.entries()) assert.equal(now.has(roleId), deserved[at]?.has(roleId));
    assert.deepEqual(
      (await listBlockedRoles(d.as(owner), id)).map(({ fault }) => fault).toSorted(),
      ['everyone', 'missing', 'missing'],
      'breakers that cannot be fixed stay open',
    );
  });
});
