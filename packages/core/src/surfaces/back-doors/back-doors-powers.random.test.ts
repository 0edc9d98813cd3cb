import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { seed, volume } from '@latchkey/test-kit';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { addGuild, type DiscordPlatform, discordPlatform } from '../../communities/discord-guilds/testing.ts';
import { createRule } from '../../gating/community-rules/index.ts';
import { syncMembersNow } from '../../gating/role-changes/index.ts';
import { type Dice, throwDice } from '../../gating/role-changes/testing/dice.ts';
import { contextFor } from '../../shared/context.ts';
import { findNews } from '../admin-notices/testing.ts';
import { checkBackDoors } from './check.ts';
import { closeBackDoor, listBackDoors } from './operations.ts';

const histories = volume(8, 150);
const steps = 30;

type Guild = ReturnType<DiscordPlatform['emulator']['getGuild']>;
type Role = NonNullable<ReturnType<Guild['roles']['get']>>;

// Discord's bits: ADMINISTRATOR and MANAGE_ROLES.
const powers = { Administrator: 1n << 3n, 'Manage Roles': 1n << 28n };

/** Of two roles at the same place in the list, the one that was created first is higher. */
const isHigher = (one: Role, other: Role) =>
  one.position === other.position ? BigInt(one.id) < BigInt(other.id) : one.position > other.position;

/** `with Administrator`, `with Manage Roles`, or nothing: what these roles let their members do. */
function powerOf(roles: readonly Role[]): string | undefined {
  const bits = roles.reduce((sum, role) => sum | role.permissions, 0n);
  return Object.entries(powers).find(([, bit]) => (bits & bit) !== 0n)?.[0];
}

/**
 * What the server is, asked the other way round than the code under test does it: who there could give each role? AutoMod is not asked,
 * since none of its actions gives a role.
 */
function findTruth(guild: Guild, ownBotId: string, ruled: ReadonlySet<string>, namesOfIntegrations: boolean): string[] {
  const everyone = guild.roles.get(guild.id);
  assert.ok(everyone);
  const found: string[] = [];
  for (const role of guild.roles.values()) {
    if (!ruled.has(role.id)) continue;
    const add = (what: string) => void found.push(`${what} ${role.id}`);
    for (const { code, roleIds } of guild.invites.values())
      if (roleIds.includes(role.id)) add(`Invite ${code} to #general`);
    if (guild.onboarding.isEnabled)
      for (const { title, options } of guild.onboarding.prompts)
        for (const option of options)
          if (option.roleIds.includes(role.id)) add(`Onboarding option “${option.title}” of “${title}”`);
    if (role.isLinked) add(`Linked role “${role.name}”`);
    if (role.isForSale) add(`Server shop: “${role.name}”`);
    else if (role.integrationId !== undefined) {
      const known = namesOfIntegrations ? guild.integrations.get(role.integrationId)?.name : undefined;
      add(`Integration “${known ?? role.name}”`);
    }
    const staff = new Map<string, string>();
    for (const { user, roles } of guild.members.values()) {
      if (user.id === guild.ownerId || user.id === ownBotId) continue;
      const own = [...roles].flatMap((id) => guild.roles.get(id) ?? []);
      if (!own.some((one) => isHigher(one, role))) continue;
      const power = powerOf([everyone, ...own]);
      if (user.isBot && power !== undefined) add(`Bot “${user.username}” with ${power}`);
      if (!user.isBot) for (const one of own) staff.set(one.name, powerOf([one]) ?? '');
    }
    // If everyone may give roles, so may each person who gets any role above this one, now or later.
    const above = [...guild.roles.values()].filter((one) => one.botId === undefined && isHigher(one, role));
    if (above.length > 0) staff.set('@everyone', powerOf([everyone]) ?? '');
    for (const [name, power] of staff) if (power !== '') add(`Role “${name}” with ${power}`);
  }
  return found.toSorted();
}

describe('random roles, bots, staff, integrations, linked and sold roles', () => {
  let d: DiscordPlatform;
  before(async () => {
    d = await discordPlatform('back-doors-powers', { isQuick: true });
    d.emulator.limits.buckets.other = { limit: 1_000_000, windowSeconds: 1 };
  });
  after(() => d.close());

  const closed = { invite: 0, onboarding: 0, refused: 0 };
  const kinds = new Set<string>();

  async function play(dice: Dice) {
    const { guildId, id, owner, holder, whale } = await addGuild(d);
    const { emulator, services } = d;
    const guild = emulator.getGuild(guildId);
    const ownRole = [...guild.roles.values()].find(({ botId }) => botId !== undefined);
    assert.ok(ownRole?.botId);
    const ownBotId = ownRole.botId;
    const most = ['MANAGE_ROLES', 'VIEW_CHANNEL', 'SEND_MESSAGES', 'VIEW_AUDIT_LOG'] as const;
    const full = [...most, 'MANAGE_GUILD'] as const;
    emulator.setPermissions(guildId, ownRole.id, full);
    emulator.setOnboarding(guildId, {
      isEnabled: true,
      defaultChannelIds: Array.from({ length: 7 }, (_, at) => emulator.createChannel(guildId, { name: `c${at}` }).id),
      prompts: [],
    });
    const ruled = new Set<string>();
    const addRule = async (roleId: string) => {
      ruled.add(roleId);
      const contractAddress = `0x${String(ruled.size).repeat(40)}`;
      await createRule(d.as(owner), { id, body: { type: 'ERC20', chainId: 1, contractAddress, roleId } });
    };
    await addRule(holder);
    const ctx = d.as(owner);
    const list = async () => (await listBackDoors(ctx, { communityId: id })).backDoors;
    const pairsOf = (doors: Awaited<ReturnType<typeof list>>) =>
      doors.flatMap(({ title, roles }) => roles.map((role) => `${title} ${role.id}`)).toSorted();
    const system = contextFor(services, { kind: 'system', job: 'test' });

    /** Reported and still there, by what identifies a way: an alert again would be one too many. */
    let reported = new Set<string>();
    const noticed = new Set<string>();
    const keysOf = async (where: string) => {
      const { rows } = await services.db.pool.query<{ key: string }>(
        `select door_id || ' ' || role_id as key from back_doors where community_id = $1 and gone_at is null and ${where}`,
        [id],
      );
      return rows.map(({ key }) => key);
    };

    const check = async () => {
      const community = await selectCommunity(services.db.system, id);
      assert.ok(community);
      await syncMembersNow(system, community);
      const [isDown, isDenied] = [dice.below(6) === 0, dice.below(6) === 0];
      if (isDenied) emulator.setPermissions(guildId, ownRole.id, most);
      const end = isDown
        ? emulator.misbehave({ kind: 'error', on: 'GET /guilds/:guild/integrations' })
        : () => undefined;
      await checkBackDoors(system, id);
      end();
      emulator.setPermissions(guildId, ownRole.id, full);
      const truth = findTruth(guild, ownBotId, ruled, !isDown && !isDenied);
      const doors = await list();
      for (const { kind } of doors) kinds.add(kind);
      assert.deepEqual(pairsOf(doors), truth, 'exactly what is there is listed');
      const present = new Set(await keysOf('true'));
      reported = new Set([...reported].filter((key) => present.has(key)));
    };
    const report = async () => {
      const present = await keysOf('true');
      const waiting = await keysOf('batch is not null');
      await findNews(system);
      const { rows } = await services.db.pool.query<{ id: string; about: string }>(
        `select id, about from admin_notices where community_id = $1 and kind = 'back-doors'`,
        [id],
      );
      const fresh = rows.filter((row) => !noticed.has(row.id));
      for (const row of fresh) noticed.add(row.id);
      const told = (await Promise.all(fresh.map(({ about }) => keysOf(`batch = '${about}'`)))).flat();
      const wanted = present.filter((key) => !reported.has(key));
      assert.deepEqual(told.toSorted(), wanted.toSorted(), 'each new way is reported, once');
      assert.ok(waiting.length >= told.length);
      for (const key of told) reported.add(key);
    };
    /** Closes a way with one click: it goes with all that the page said, and nothing else does. */
    const close = async () => {
      await check();
      const doors = await list();
      if (doors.length === 0) return;
      const offered = doors.filter(({ fixEffect }) => fixEffect !== undefined);
      const door = dice.oneOf(dice.below(3) > 0 && offered.length > 0 ? offered : doors);
      const here = { communityId: id, backDoorId: door.id };
      if (door.fixEffect === undefined) {
        const before = findTruth(guild, ownBotId, ruled, true);
        await assert.rejects(closeBackDoor(ctx, here), { code: 'STATE_CONFLICT' });
        assert.deepEqual(findTruth(guild, ownBotId, ruled, true), before, 'what people have to close stays as it is');
        closed.refused += 1;
        return;
      }
      const others = doors.filter((one) => one.id !== door.id);
      await closeBackDoor(ctx, here);
      assert.deepEqual(
        findTruth(guild, ownBotId, ruled, true).filter((pair) => !pair.startsWith('Integration')),
        pairsOf(others).filter((pair) => !pair.startsWith('Integration')),
        'what the page offered to close is closed, and nothing else',
      );
      if (door.kind === 'onboarding') {
        const isLeft = guild.onboarding.prompts.some(({ title: question, options }) =>
          options.some((option) => door.title === `Onboarding option “${option.title}” of “${question}”`),
        );
        assert.equal(isLeft, door.fixEffect.includes('stays'), door.fixEffect);
      }
      if (door.kind === 'invite' || door.kind === 'onboarding') closed[door.kind] += 1;
      const left = new Set(await keysOf('true'));
      reported = new Set([...reported].filter((key) => left.has(key)));
    };

    let made = 0;
    const nameOf = (what: string) => {
      made += 1;
      return `${what} ${made}`;
    };
    const rolesWith = (fits: (role: Role) => boolean) => [...guild.roles.values()].filter(fits);
    const isFree = (role: Role) => role.id !== guildId && role.botId === undefined;
    const somePowers = () =>
      dice.oneOf([['SEND_MESSAGES'], ['SEND_MESSAGES'], ['MANAGE_ROLES'], ['ADMINISTRATOR'], []] as const);
    const someRoles = () =>
      rolesWith((role) => isFree(role) && role.integrationId === undefined && dice.below(3) === 0).map(
        (role) => role.id,
      );
    const aRuled = () => dice.oneOf([...ruled]);
    const step = async (): Promise<unknown> => {
      switch (dice.below(18)) {
        case 0:
          return emulator.createRole(guildId, {
            name: nameOf('Staff'),
            permissions: somePowers(),
            position: 1 + dice.below(9),
          });
        case 1: {
          const role = dice.oneOf(rolesWith(({ id: roleId }) => roleId !== guildId));
          const position = 1 + dice.below(9);
          // Discord lists roles that were never moved at the same position.
          if (dice.below(2) === 0) return Object.assign(role, { position });
          return emulator.moveRole(guildId, role.id, position);
        }
        case 2: {
          const roles = rolesWith(({ botId }) => botId !== ownBotId);
          const role = dice.below(5) === 0 ? guild.roles.get(guildId) : dice.oneOf(roles);
          return emulator.setPermissions(guildId, role?.id ?? guildId, somePowers());
        }
        case 3: {
          const roles = rolesWith(
            (role) => isFree(role) && role.id !== holder && !ruled.has(role.id) && role.id !== whale,
          );
          if (roles.length > 0) emulator.deleteRole(guildId, dice.oneOf(roles).id);
          return;
        }
        case 4: {
          const application = emulator.createApplication({ name: nameOf('Helper') });
          const role = emulator.addBot(guildId, somePowers(), application);
          return emulator.moveRole(guildId, role.id, 1 + dice.below(9));
        }
        case 5:
        case 6:
          return emulator.addMember(guildId, { name: nameOf('person'), roles: someRoles() });
        case 7:
        case 8: {
          const others = [...guild.members.values()].filter(({ user }) => user.id !== ownBotId);
          const member = dice.oneOf(others);
          const own = rolesWith(({ botId }) => botId === member.user.id).map((role) => role.id);
          return emulator.setMemberRoles(guildId, member.user.id, [...own, ...someRoles()]);
        }
        case 9: {
          const role = guild.roles.get(aRuled());
          return role && Object.assign(role, { isLinked: role.isLinked !== true });
        }
        case 10: {
          const role = guild.roles.get(aRuled());
          return role && Object.assign(role, { isForSale: role.isForSale !== true });
        }
        case 11: {
          const role = guild.roles.get(aRuled());
          if (role === undefined) return;
          if (role.integrationId === undefined) {
            const integration = emulator.addIntegration(guildId, {
              type: 'twitch',
              name: nameOf('Channel'),
              roleId: role.id,
            });
            return Object.assign(role, { integrationId: integration.id });
          }
          emulator.removeIntegration(guildId, role.integrationId);
          delete role.integrationId;
          return;
        }
        case 12:
          return emulator.createInvite(guildId, { roleIds: [holder, whale].filter(() => dice.below(2) === 0) });
        case 13:
          return emulator.setOnboarding(guildId, {
            prompts: [
              {
                title: nameOf('Question'),
                options: [
                  { title: 'First', roleIds: dice.oneOf([[holder], [whale], [holder, whale]]) },
                  { title: 'Second', roleIds: [whale], channelIds: [...guild.channels.keys()].slice(0, 1) },
                ],
              },
            ],
          });
        case 14:
          return dice.below(3) === 0 && !ruled.has(whale) ? addRule(whale) : report();
        default:
          return dice.below(2) === 0 ? close() : check();
      }
    };
    for (let n = 0; n < steps; n += 1) await step();
    await check();
    await report();
    return noticed.size;
  }

  test(`are listed exactly, reported once and closed as offered, in ${histories} histories`, async () => {
    let notices = 0;
    for (let number = 1; number <= histories; number += 1) {
      const dice = throwDice(`${seed('powers over roles')} ${number}`);
      notices += await play(dice).catch((error: unknown) => {
        throw new Error(`History ${number} failed. ${error instanceof Error ? error.message : ''}`, { cause: error });
      });
    }
    assert.ok(notices >= histories, 'histories have something to report');
    assert.deepEqual([...kinds].toSorted(), [
      'bot',
      'integration',
      'invite',
      'linked-role',
      'onboarding',
      'purchase',
      'staff',
    ]);
    assert.ok(closed.invite + closed.onboarding > 0 && closed.refused > 0, JSON.stringify(closed));
  });
});
