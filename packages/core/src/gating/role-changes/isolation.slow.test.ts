import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { seed, volume } from '@latchkey/test-kit';
import type { Refusal } from '../../ports/index.ts';
import { seededRandom, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { resumeCommunity } from './applying/resume-role.ts';
import { listBlockedRoles, listChangeSets } from './review/reads.ts';
import { admin, erc20Rule, type Guild, setUpGuild } from './testing/index.ts';

const members = volume(30, 200);
const ruleCount = 12;
const roles = Array.from({ length: ruleCount }, (_, at) => `role-${at}`);
const contractOf = (role: string) => `0x${(0xaa00 + roles.indexOf(role)).toString(16).padStart(40, '0')}`;

type Way = (scene: Scene, role: string) => void | Promise<void>;

/** A community in which each rule is broken in some way, and the roles its members qualify for. */
interface Scene {
  guild: Guild;
  deserves(member: number, role: string): boolean;
  /** Actions that run in the middle of writing. */
  later: (() => void)[];
}

describe('rules that are broken', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('isolation-proof');
    t.services.settings.gating = { heldRemovalShare: 1, heldRemovalsPerDay: 1_000_000 };
    // One write at a time, so that every try is counted and none is already in flight.
    t.host.writesAtOnce = 1;
  });
  after(() => t.close());

  const refuse = (fault?: Refusal['fault']): Way => {
    return ({ guild }, roleId) =>
      t.host.breakRole(guild.guildId, roleId, { roleId, advice: `No ${roleId}.`, ...(fault && { fault }) });
  };
  const define = (guild: Guild, role: string, definition: unknown) =>
    t.services.db.pool.query('update community_rules set definition = $3 where community_id = $1 and role_id = $2', [
      guild.id,
      role,
      JSON.stringify(definition),
    ]);

  /** Every way a rule can break; `tries` is how many calls it takes to find out. */
  const ways: Readonly<Record<string, { way: Way; tries: 0 | 1; hasBreaker?: false }>> = {
    missing: { way: refuse('missing'), tries: 0 },
    managed: { way: refuse('managed'), tries: 0 },
    everyone: { way: refuse('everyone'), tries: 0 },
    'above the bot': { way: refuse('above-bot'), tries: 0 },
    ruling: { way: ({ guild }, role) => t.host.setPowers(guild.guildId, role, ['Ban Members']), tries: 0 },
    'refused for reasons that are not shown': { way: refuse(), tries: 1 },
    'broken while others are written': {
      way: (scene, role) => void scene.later.push(() => refuse('missing')(scene, role)),
      tries: 1,
    },
    'unreadable in its definition': {
      way: async ({ guild }, role) => void (await define(guild, role, { type: 'ERC20', roleId: role })),
      tries: 0,
      hasBreaker: false,
    },
  };
  type WayName = keyof typeof ways & string;
  const wayNames = Object.keys(ways);

  async function settle(draw: () => number): Promise<Scene> {
    const held = Array.from({ length: members }, () => new Set(roles.filter(() => draw() < 0.3)));
    const deserved = Array.from({ length: members }, () => new Set(roles.filter(() => draw() < 0.5)));
    const rules = roles.map((role) => erc20Rule(role, '1', contractOf(role)));
    const guild = await setUpGuild(t, { members, rules, roles: (member) => [...(held[member] ?? [])] });
    for (const [member, theirs] of deserved.entries())
      for (const role of theirs) guild.hold(member, '1', contractOf(role));
    return { guild, deserves: (member, role) => deserved[member]?.has(role) ?? false, later: [] };
  }

  async function heal({ guild }: Scene, broken: ReadonlyMap<string, WayName>): Promise<void> {
    for (const role of broken.keys()) {
      t.host.breakRole(guild.guildId, role, undefined);
      t.host.setPowers(guild.guildId, role, []);
      await define(guild, role, erc20Rule(role, '1', contractOf(role)));
    }
  }

  function everyPair<Value>(see: (member: number, role: string) => Value): Value[] {
    return Array.from({ length: members }, (_, member) => roles.map((role) => see(member, role))).flat();
  }

  /** Breaks rules, writes everything, and verifies that only the broken ones are affected. */
  async function prove(draw: () => number, broken: ReadonlyMap<string, WayName>): Promise<void> {
    const scene = await settle(draw);
    const { guild, deserves } = scene;
    const has = (member: number, role: string) => guild.rolesOf(member)?.includes(role) ?? false;
    const before = new Map(everyPair((member, role) => [`${member}/${role}`, has(member, role)] as const));
    const had = (member: number, role: string) => before.get(`${member}/${role}`) ?? false;
    for (const [role, name] of broken) await ways[name]?.way(scene, role);

    let calls = 0;
    const breakAt = Math.ceil(members / 3);
    t.host.interfere(({ communityId }) => {
      if (communityId === guild.guildId) calls += 1;
      if (calls === breakAt) for (const happen of scene.later.splice(0)) happen();
      return undefined;
    });
    await guild.resync();
    t.host.interfere(undefined);

    const isRevoked = (member: number, role: string) => had(member, role) && !deserves(member, role);
    for (const [, problem] of everyPair((member, role): readonly [string, string?] => {
      const pair = `${member}/${role}`;
      const way = broken.get(role);
      if (way === undefined || (way === 'ruling' && isRevoked(member, role)))
        return has(member, role) === deserves(member, role) ? [pair] : [pair, `${pair} is not written`];
      const isLeft = has(member, role) === had(member, role);
      const isMade = way === 'broken while others are written' && has(member, role) === deserves(member, role);
      return isLeft || isMade ? [pair] : [pair, `${pair} was changed wrongly`];
    }))
      assert.equal(problem, undefined);

    const allowed = [...broken.values()].reduce((sum, name) => sum + (ways[name]?.tries ?? 0), 0);
    const writes = guild.writes();
    assert.ok(
      writes.length <= members + allowed,
      `${writes.length} calls for ${members} members; ${allowed} extra tries allowed`,
    );
    for (const [role, name] of broken) {
      const tries = writes.filter(({ add, remove }) => [...add, ...remove].includes(role)).length;
      if (ways[name]?.tries === 0 && name !== 'ruling') assert.equal(tries, 0, `${role} is ${name}`);
    }

    const breakers = await listBlockedRoles(t.as(admin), guild.id);
    const stopped = [...broken].filter(([, name]) => ways[name]?.hasBreaker !== false).map(([role]) => role);
    assert.deepEqual(breakers.map(({ roleId }) => roleId).toSorted(), stopped.toSorted());
    for (const { roleId, userId, advice } of breakers) {
      assert.equal(userId, undefined, 'no member is at fault');
      assert.ok(advice.includes(`${roleId}`), 'it says which role and why');
    }

    await heal(scene, broken);
    await resumeCommunity(t.services, guild.id);
    await guild.write();
    t.advanceSeconds(60);
    await guild.resync();
    assert.deepEqual(await listBlockedRoles(t.as(admin), guild.id), []);
    assert.deepEqual(everyPair(has), everyPair(deserves), 'once the causes are fixed, the rest is written');
    const { items } = await listChangeSets(t.as(admin), guild.id);
    assert.ok(items.every(({ status }) => status === 'done'));
  }

  function drawFrom(name: string): () => number {
    const random = seededRandom(seed(name));
    return () => Buffer.from(random.bytes(4)).readUInt32BE() / 4_294_967_296;
  }

  for (const name of wayNames)
    it(`block only themselves when one is ${name}`, () =>
      prove(drawFrom(`isolation ${name}`), new Map([[roles[5] ?? '', name]])));

  it('block only themselves when there is one of every kind', () =>
    prove(drawFrom('isolation together'), new Map(wayNames.map((name, at) => [roles[at] ?? '', name]))));

  it('block only themselves in any mixture', async () => {
    const draw = drawFrom('isolation mixtures');
    for (let round = 0; round < volume(3, 12); round += 1) {
      const count = 1 + Math.floor(draw() * ruleCount);
      const chosen = roles.toSorted(() => draw() - 0.5).slice(0, count);
      await prove(
        draw,
        new Map(chosen.map((role) => [role, wayNames[Math.floor(draw() * wayNames.length)] ?? 'missing'])),
      );
    }
  });
});
