import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { seed, volume } from '@latchkey/test-kit';
import { addGuild, type DiscordPlatform, discordPlatform } from '../../communities/discord-guilds/testing.ts';
import { createRule } from '../../gating/community-rules/index.ts';
import { type Dice, throwDice } from '../../gating/role-changes/testing/dice.ts';
import { contextFor } from '../../shared/context.ts';
import { Crash, crashing } from '../../testing/index.ts';
import { findNews } from '../admin-notices/testing.ts';
import { checkBackDoors } from './check.ts';
import { expectBackDoor, listBackDoors, unexpectBackDoor } from './operations.ts';

const histories = volume(12, 1_500);
const steps = 24;

/**
 * What the emulator shows, computed without the code under test: pairs of what gives a role and the role. A member’s
 * joining uses an invite up, which takes it away.
 */
function findTruth(guild: ReturnType<DiscordPlatform['emulator']['getGuild']>, ruled: ReadonlySet<string>) {
  const invites = [...guild.invites.values()].flatMap(({ code, roleIds }) =>
    roleIds.filter((id) => ruled.has(id)).map((id) => `Invite ${code} to #general ${id}`),
  );
  const { isEnabled, prompts } = guild.onboarding;
  const options = (isEnabled ? prompts : []).flatMap(({ title, options: all }) =>
    all.flatMap((option) =>
      option.roleIds
        .filter((id) => ruled.has(id))
        .map((id) => `Onboarding option “${option.title}” of “${title}” ${id}`),
    ),
  );
  return { invites, options };
}

describe('random invites, prompts, joins, outages and dismissals', () => {
  let d: DiscordPlatform;
  before(async () => {
    d = await discordPlatform('back-doors-random', { isQuick: true });
    d.emulator.limits.buckets.other = { limit: 1_000_000, windowSeconds: 1 };
  });
  after(() => d.close());

  const noticesOf = async (communityId: string) => {
    const { rows } = await d.services.db.pool.query<{ id: string; about: string }>(
      `select id, about from admin_notices where community_id = $1 and kind = 'back-doors'`,
      [communityId],
    );
    return rows;
  };
  const pairsOf = async (communityId: string, batch: string) => {
    const { rows } = await d.services.db.pool.query<{ pair: string }>(
      `select door_id || ' ' || role_id as pair from back_doors where community_id = $1 and batch = $2 and gone_at is null`,
      [communityId, batch],
    );
    return rows.map(({ pair }) => pair);
  };

  async function play(dice: Dice) {
    const guild = await addGuild(d);
    const { emulator } = d;
    const { guildId, id, owner, holder, whale } = guild;
    const plain = emulator.createRole(guildId, { name: 'Plain' }).id;
    const own = emulator.getGuild(guildId);
    const botRole = [...own.roles.values()].find(({ botId }) => botId !== undefined)?.id ?? '';
    emulator.moveRole(guildId, botRole, 9);
    const full = ['MANAGE_ROLES', 'VIEW_CHANNEL', 'SEND_MESSAGES', 'VIEW_AUDIT_LOG'] as const;
    emulator.setPermissions(guildId, botRole, full);
    for (const [n, roleId] of [holder, whale].entries()) {
      const body = { type: 'ERC20', chainId: 1, contractAddress: `0x${String(n + 1).repeat(40)}`, roleId };
      await createRule(d.as(owner), { id, body });
    }
    const ruled = new Set([holder, whale]);
    const ctx = d.as(owner);
    const list = () => listBackDoors(ctx, { communityId: id });
    /** What the page shows: each way with each of its roles. */
    const shown = async () =>
      (await list()).backDoors.flatMap(({ title, roles }) => roles.map((role) => `${title} ${role.id}`)).toSorted();
    const system = (survived: number) => ({
      ...contextFor(d.services, { kind: 'system', job: 'test' }),
      db: crashing(d.services.db, survived),
    });
    /** Pairs that were found and not yet reported, and all that are reported and still there. */
    let [pending, known] = [new Set<string>(), new Set<string>()];
    const expected = new Map<string, Set<string>>();
    let truth = { invites: [] as string[], options: [] as string[] };
    const noticed = new Set<string>();

    const check = async (survived: number) => {
      const [isDown, isDenied] = [dice.below(6) === 0, dice.below(6) === 0];
      if (isDenied) emulator.setPermissions(guildId, botRole, ['MANAGE_ROLES', 'VIEW_CHANNEL', 'SEND_MESSAGES']);
      const end = isDown ? emulator.misbehave({ kind: 'error', on: 'GET /guilds/:guild/onboarding' }) : () => undefined;
      try {
        await checkBackDoors(system(survived), id);
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
        return;
      } finally {
        end();
        emulator.setPermissions(guildId, botRole, full);
      }
      const now = findTruth(own, ruled);
      truth = { invites: isDenied ? truth.invites : now.invites, options: isDown ? truth.options : now.options };
      assert.deepEqual(await shown(), [...truth.invites, ...truth.options].toSorted(), 'everything is listed');
      const { backDoors: items } = await list();
      const present = new Map(items.flatMap((door) => door.roles.map((role) => [`${door.id} ${role.id}`, door.id])));
      for (const pair of [...known, ...pending])
        if (!present.has(pair)) for (const set of [known, pending]) set.delete(pair);
      for (const [pair, doorId] of present) {
        if (known.has(pair) || pending.has(pair)) continue;
        const isExpected = expected.get(doorId)?.has(pair) === true;
        (isExpected ? known : pending).add(pair);
      }
    };
    const report = async (survived: number) => {
      try {
        await findNews(system(survived));
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
        return;
      }
      const fresh = (await noticesOf(id)).filter((notice) => !noticed.has(notice.id));
      for (const notice of fresh) noticed.add(notice.id);
      const pairs = (await Promise.all(fresh.map(({ about }) => pairsOf(id, about)))).flat();
      assert.deepEqual(pairs.toSorted(), [...pending].toSorted(), 'each new way is reported, once');
      known = new Set([...known, ...pending]);
      pending = new Set();
    };
    const some = () => [holder, whale, plain].filter(() => dice.below(2) === 0);
    const step = async () => {
      const survived = dice.oneOf([0, 1, 9_999, 9_999, 9_999]);
      switch (dice.below(9)) {
        case 0:
        case 1:
          emulator.createInvite(guildId, { roleIds: some(), maxUses: dice.oneOf([0, 1]) });
          return;
        case 2: {
          const codes = [...own.invites.keys()];
          if (codes.length > 0) emulator.deleteInvite(guildId, dice.oneOf(codes));
          return;
        }
        case 3: {
          const codes = [...own.invites.keys()];
          if (codes.length > 0) emulator.acceptInvite(guildId, dice.oneOf(codes));
          return;
        }
        case 4: {
          const [prompt] = own.onboarding.prompts;
          const options = [{ title: 'Cats', roleIds: some(), channelIds: [...own.channels.keys()] }];
          // An admin who edits an option keeps its id, and one who adds a prompt gets a new one.
          if (prompt === undefined || dice.below(3) === 0)
            emulator.setOnboarding(guildId, {
              isEnabled: dice.below(4) > 0,
              prompts: [{ title: 'Interests', options }],
            });
          else Object.assign(prompt.options[0] ?? {}, { roleIds: some() });
          return;
        }
        case 5: {
          const open = (await list()).backDoors;
          if (open.length === 0) return;
          const door = dice.oneOf(open);
          if (door.expected !== undefined && dice.below(2) === 0) {
            await unexpectBackDoor(ctx, { communityId: id, backDoorId: door.id });
            expected.delete(door.id);
            return;
          }
          await expectBackDoor(ctx, { communityId: id, backDoorId: door.id, body: { reason: 'We know.' } });
          const pairs = door.roles.map((role) => `${door.id} ${role.id}`);
          expected.set(door.id, new Set(pairs));
          for (const pair of pairs) {
            pending.delete(pair);
            known.add(pair);
          }
          return;
        }
        case 6:
          return report(survived);
        default:
          return check(survived);
      }
    };
    for (let n = 0; n < steps; n += 1) await step();
    await check(9_999);
    await report(9_999);
    return noticed.size;
  }

  test(`leave no way unlisted or unreported, and report none twice, in ${histories} histories`, async () => {
    let notices = 0;
    for (let number = 1; number <= histories; number += 1) {
      const dice = throwDice(`${seed('back doors')} ${number}`);
      notices += await play(dice).catch((error: unknown) => {
        throw new Error(`History ${number} failed.`, { cause: error });
      });
    }
    assert.ok(notices > histories, 'most histories have something to report');
  });
});
