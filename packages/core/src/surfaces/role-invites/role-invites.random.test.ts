import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { hashSecret } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';
import { seed, volume } from '@latchkey/test-kit';
import { type DiscordPlatform, discordPlatform } from '../../communities/discord-guilds/testing.ts';
import { type Dice, throwDice } from '../../gating/role-changes/testing/dice.ts';
import { Crash, crashing } from '../../testing/index.ts';
import { loseResponses, openServer, widen } from './testing.ts';

const histories = volume(10, 1_000);
const steps = 30;
/** The time within which each invite is checked, with room for the retry after a failure. */
const patienceSeconds = 700;

describe('role invites in random histories of purchases, sales, joins, crashes and outages', () => {
  let d: DiscordPlatform;
  before(async () => {
    d = await discordPlatform('role-invites-random', { isQuick: true, hasOneClock: true });
    widen(d);
  });
  after(() => d.close());

  async function play(dice: Dice): Promise<{ joined: number; revoked: number }> {
    const server = await openServer(d);
    const { emulator, services } = d;
    const { own, holder, whale } = server;
    const roles = [holder, whale];
    const people = await Promise.all([1, 2, 3].map((n) => server.addPerson(`p${n}`)));
    type Person = (typeof people)[number];
    const has = new Map(people.map((person) => [person, new Set<string>()]));
    const linked = new Set(people);
    /** The urls that people were shown. */
    const urls = new Map<Person, string>();
    /** The roles with which people arrived by our invites. */
    const arrived: { person: Person; roleId: string }[] = [];
    let ends: (() => void)[] = [];

    const qualifies = (person: Person, roleId: string) => linked.has(person) && has.get(person)?.has(roleId) === true;
    const survive = async (work: () => Promise<unknown>) => {
      try {
        await work();
      } catch (error) {
        if (error instanceof Crash) return;
        if (error instanceof AppError && ['UNAVAILABLE', 'STATE_CONFLICT'].includes(error.code)) return;
        throw error;
      }
    };
    const step = async () => {
      const person = dice.oneOf(people);
      const db = crashing(services.db, dice.oneOf([0, 1, 9_999, 9_999, 9_999]));
      switch (dice.below(10)) {
        case 0:
        case 1: {
          const roleId = dice.oneOf(roles);
          has.get(person)?.add(roleId);
          return server.hold(person, roleId, '1');
        }
        case 2: {
          const roleId = dice.oneOf(roles);
          has.get(person)?.delete(roleId);
          return server.hold(person, roleId, '0');
        }
        case 3: {
          if (linked.delete(person))
            await services.db.pool.query('delete from wallet_connections where user_id = $1', [person.userId]);
          else {
            await server.link(person.userId, person.account);
            linked.add(person);
          }
          return;
        }
        case 4: {
          const fault = dice.oneOf([
            'POST /channels/:channel/invites',
            'DELETE /invites/:code',
            'holdings',
            'lost',
          ] as const);
          if (fault === 'holdings') {
            d.t.holdings.fail('evm:1', 'The node is down.');
            ends.push(() => d.t.holdings.fail('evm:1', undefined));
          } else if (fault === 'lost') ends.unshift(loseResponses(d));
          else ends.push(emulator.misbehave({ kind: 'error', on: fault }));
          return;
        }
        case 5: {
          for (const end of ends) end();
          ends = [];
          return;
        }
        case 6:
        case 7: {
          await survive(async () => {
            const { url } = await server.create(person, db);
            if (url !== undefined) urls.set(person, url);
          });
          return;
        }
        case 8: {
          const url = urls.get(person);
          if (url === undefined || own.members.has(person.discordId) || !own.invites.has(url.split('/').at(-1) ?? ''))
            return;
          const isReported = dice.below(4) > 0;
          for (const roleId of await server.join(person, url, { isReported })) arrived.push({ person, roleId });
          // What is not reported is found by the next resync.
          if (!isReported) {
            const member = { userId: person.userId, roleIds: [...(own.members.get(person.discordId)?.roles ?? [])] };
            await services.db.pool.query(
              `insert into community_members (community_id, user_id, role_ids, seen_at) values ($1, $2, $3, $4)
               on conflict (community_id, user_id) do update set left_at = null`,
              [server.id, member.userId, member.roleIds, services.clock()],
            );
          }
          return;
        }
        default:
          d.t.advanceSeconds(dice.oneOf([5, 130, 400]));
          return survive(() => server.check(db));
      }
    };
    for (let n = 0; n < steps; n += 1) await step();
    for (const end of ends) end();
    ends = [];
    // The next checks, after everything works again.
    for (let passed = 0; passed < patienceSeconds; passed += 70) {
      d.t.advanceSeconds(70);
      await server.check();
    }
    const { rows } = await services.db.pool.query<{ code_hash: string; user_id: string; state: string }>(
      'select code_hash, user_id, state from role_invites where guild_id = $1 and code_hash is not null',
      [server.guildId],
    );
    for (const { code, roleIds, targetUserIds, createdAtMs, maxAgeSeconds } of own.invites.values()) {
      if (roleIds.length === 0 || createdAtMs + maxAgeSeconds * 1000 <= services.clock().getTime()) continue;
      const row = rows.find(({ code_hash }) => code_hash === hashSecret(code));
      assert.ok(row, 'no live invite is unknown');
      const person = people.find(({ discordId }) => discordId === targetUserIds?.[0]);
      assert.ok(person && targetUserIds?.length === 1);
      for (const roleId of roleIds)
        assert.ok(qualifies(person, roleId), 'nobody who does not qualify has a live invite');
    }
    for (const { person, roleId } of arrived) {
      const isHeld = own.members.get(person.discordId)?.roles.has(roleId);
      const entries = (await server.ledger(person)).filter((one) => one.role_id === roleId);
      assert.ok(!isHeld || entries.length === 1, 'each role of our invites is in the ledger, once');
    }
    const ended = await services.db.pool.query(`select from role_invites where guild_id = $1 and why = 'unqualified'`, [
      server.guildId,
    ]);
    return { joined: arrived.length, revoked: ended.rows.length };
  }

  test(`no unqualified person keeps one, none is unknown, no role is missing in the ledger, in ${histories} histories`, async () => {
    const seen = { joined: 0, revoked: 0 };
    for (let number = 1; number <= histories; number += 1) {
      const dice = throwDice(`${seed('role invites')} ${number}`);
      const { joined, revoked } = await play(dice).catch((error: unknown) => {
        throw new Error(`History ${number} failed.`, { cause: error });
      });
      seen.joined += joined;
      seen.revoked += revoked;
    }
    assert.ok(seen.joined > 0 && seen.revoked > 0, `${seen.joined} joined, ${seen.revoked} revoked`);
  });
});
