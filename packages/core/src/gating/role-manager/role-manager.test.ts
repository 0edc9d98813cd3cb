import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Actor } from '@latchkey/kernel';
import { givePlan } from '../../communities/community-plans/index.ts';
import { mallory, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { admin, chain, type Guild, setUpGuild } from '../role-changes/testing/index.ts';
import {
  applyRoles,
  checkCommunityRoles,
  checkUserRoles,
  checkUserRolesByQuery,
  scheduleRoleCheck,
} from './operations.ts';

describe('role manager', () => {
  let t: TestPlatform;
  let guild: Guild;
  before(async () => {
    t = await testPlatform('role-manager');
  });
  after(() => t.close());

  async function settle(members = 3): Promise<Guild> {
    guild = await setUpGuild(t, { members, roles: (member) => (member === 1 ? ['gold', 'vip'] : ['vip']) });
    guild.hold(0, '5');
    return guild;
  }
  const memberActor = (member: number): Actor => ({
    kind: 'user',
    userId: guild.idOf(member),
    platform: 'discord',
    scopes: ['role-manager'],
    credential: 'wallet-session',
  });
  const missing = /Community not found/;

  it('shows a member’s actual and expected roles, and changes nothing', async () => {
    await settle();
    const body = { communityId: guild.guildId, userId: guild.nativeIdOf(0) };
    const { results = [], ...request } = await checkUserRoles(t.as(admin), { body });
    assert.deepEqual(request, body);
    const [result] = results;
    assert.equal(result?.consistent, false);
    assert.deepEqual(result?.roles, [{ id: 'gold', name: undefined, current: false, expected: true }]);
    assert.deepEqual(result?.rolesToApply, { add: ['gold'], remove: [] });
    assert.deepEqual(result?.currentRoles, ['vip']);
    assert.equal(result?.user?.userId, guild.idOf(0));
    assert.deepEqual(result?.accounts, ['evm']);
    assert.equal(result?.assets?.[0]?.balance, '5');
    assert.equal(result?.rules?.[0]?.roleId, 'gold');
    assert.deepEqual(guild.writes(), []);
  });

  it('shows wallet addresses only to the member and the operator', async () => {
    await settle();
    await guild.resync([0]);
    const ownApp: Actor = {
      kind: 'client',
      credential: 'api-key',
      client: { id: 'own', name: 'x', allowedScopes: ['$internal'], disallowedScopes: [] },
    };
    const adminThroughIt = { ...admin, client: ownApp.client } as Actor;
    const request = { communityId: guild.id, userId: guild.idOf(0) };
    const wallet = guild.walletOf(0).toLowerCase();
    const answerTo = async (actor: Actor) =>
      JSON.stringify([
        await checkUserRoles(t.as(actor), { body: request }),
        await checkUserRolesByQuery(t.as(actor), request),
      ]).toLowerCase();
    for (const actor of [memberActor(0), operator, ownApp])
      assert.equal((await answerTo(actor)).split(wallet).length - 1, 6, actor.kind);
    for (const actor of [admin, adminThroughIt]) {
      const seen = await answerTo(actor);
      assert.ok(seen.includes('"balance":"5"') && !seen.includes(wallet));
    }
    const allMembers = JSON.stringify(await checkCommunityRoles(t.as(admin), { body: { communityId: guild.id } }));
    for (const member of [0, 1, 2]) assert.ok(!allMembers.includes(guild.walletOf(member)));
  });

  it('accepts ids in either form, of the community and of the member', async () => {
    await settle();
    for (const communityId of [guild.id, guild.guildId]) {
      for (const userId of [guild.idOf(1), guild.nativeIdOf(1)]) {
        const { results } = await checkUserRolesByQuery(t.as(admin), { communityId, userId });
        assert.deepEqual(results?.[0]?.rolesToApply, { add: [], remove: ['gold'] });
      }
    }
  });

  it('lists undecided roles instead of guessing', async () => {
    await settle();
    t.holdings.fail(chain, 'The node is down.');
    const body = { communityId: guild.id, userId: guild.idOf(1) };
    const { results } = await checkUserRoles(t.as(admin), { body });
    t.holdings.fail(chain, undefined);
    assert.deepEqual(results?.[0]?.rolesFailed, ['gold']);
    assert.deepEqual(results?.[0]?.errors, ['The node is down.']);
    assert.deepEqual(results?.[0]?.rolesToApply, { add: [], remove: [] });
  });

  it('compares a whole community, members with differences first', async () => {
    await settle(5);
    const { results } = await checkCommunityRoles(t.as(admin), { body: { communityId: guild.id } });
    assert.deepEqual(
      results?.map(({ consistent }) => consistent),
      [false, false, true, true, true],
    );
    assert.deepEqual(guild.writes(), []);
  });

  it('compares a large community page by page, each member once', async () => {
    await settle(7);
    const check = (paginationToken?: string) =>
      checkCommunityRoles(t.as(admin), { body: { communityId: guild.id, limit: 3, paginationToken } });
    const [first, second] = [await check(), await check((await check()).paginationToken)];
    const third = await check(second.paginationToken);
    const pages = [first, second, third];
    assert.deepEqual(
      pages.map(({ results, paginationToken }) => [results?.length, paginationToken !== undefined]),
      [
        [3, true],
        [3, true],
        [1, false],
      ],
    );
    const checked = pages.flatMap(({ results = [] }) => results);
    assert.equal(new Set(checked.map(({ user }) => user?.userId)).size, 7);
    assert.equal(checked.filter(({ consistent }) => !consistent).length, 2);
    assert.match(first.results?.at(-1)?.errors?.at(-1) ?? '', /^More members follow/);
    assert.deepEqual(third.results?.at(-1)?.errors, []);
    assert.deepEqual(guild.writes(), []);
  });

  it('refuses the page token of another community', async () => {
    await settle(2);
    const one = await checkCommunityRoles(t.as(admin), { body: { communityId: guild.id, limit: 1 } });
    await settle(2);
    const body = { communityId: guild.id, limit: 1, paginationToken: one.paginationToken };
    await assert.rejects(checkCommunityRoles(t.as(admin), { body }), { code: 'INVALID_PAGINATION_TOKEN' });
  });

  it('says when the lists of one member are truncated', async () => {
    guild = await setUpGuild(t, { members: 1, roles: () => Array.from({ length: 230 }, (_, role) => `role${role}`) });
    const { results } = await checkUserRoles(t.as(admin), { body: { communityId: guild.id, userId: guild.idOf(0) } });
    assert.equal(results?.[0]?.currentRoles?.length, 200);
    assert.deepEqual(results?.[0]?.errors, ['Only 200 of 230 current roles are listed.']);
  });

  it('requires a community when a user is in more than one response can hold, and omits none silently', async () => {
    await settle(1);
    const { db } = t.services;
    await db.pool.query(
      `insert into communities (id, platform, community_id, name, status, owner_id, profile, disable_background_checks,
         created_at, updated_at)
       select 'DIS#COMM#7' || n, 'discord', '7' || n, 'Many', 'active', $1, '{}', true, $2, $2
       from generate_series(1, 101) n`,
      [admin.kind === 'user' ? admin.userId : '', t.services.clock()],
    );
    await db.pool.query(
      `insert into community_members (community_id, user_id, role_ids, seen_at)
       select 'DIS#COMM#7' || n, $1, '{}', $2 from generate_series(1, 101) n`,
      [guild.idOf(0), t.services.clock()],
    );
    const everywhere = { userId: guild.idOf(0) };
    await assert.rejects(checkUserRolesByQuery(t.as(memberActor(0)), everywhere), /one of 101 communities/);
    await assert.rejects(applyRoles(t.as(memberActor(0)), everywhere), /at most 100 are checked at once/);
    await db.pool.query(`delete from communities where id like 'DIS#COMM#7%' and name = 'Many'`);
  });

  it('applies the roles of one member before it responds', async () => {
    await settle();
    const answer = await applyRoles(t.as(admin), { communityId: guild.id, userId: guild.nativeIdOf(0) });
    assert.deepEqual(answer, {
      userId: guild.idOf(0),
      roles: [{ communityId: guild.guildId, roles: ['gold', 'vip'] }],
    });
    assert.deepEqual(guild.rolesOf(0), ['vip', 'gold']);
    assert.deepEqual(guild.rolesOf(1), ['gold', 'vip']);
  });

  it('lets members check only themselves, where they are members', async () => {
    await settle();
    await guild.resync([0]);
    const own = await checkUserRolesByQuery(t.as(memberActor(0)), {});
    assert.equal(own.results?.[0]?.user?.userId, guild.idOf(0));
    const other = { communityId: guild.id, userId: guild.idOf(1) };
    await assert.rejects(checkUserRolesByQuery(t.as(memberActor(0)), other), missing);
    await assert.rejects(applyRoles(t.as(memberActor(0)), other), missing);
    await assert.rejects(applyRoles(t.as(mallory), { communityId: guild.id }), missing);
  });

  it('covers every community of a member at once, and reads no chain where no rule grants a role', async () => {
    const gated = await settle();
    const bare = await setUpGuild(t, { members: 0, rules: [] });
    t.host.addMember(bare.guildId, gated.nativeIdOf(0), ['friend']);
    await gated.resync([0]);
    await bare.resync();
    const asMember = t.as(memberActor(0));
    const { results = [] } = await checkUserRolesByQuery(asMember, {});
    assert.deepEqual(
      results.map(({ user, consistent, currentRoles }) => [user?.communityId, consistent, currentRoles]),
      [
        [gated.id, true, ['gold', 'vip']],
        [bare.id, true, ['friend']],
      ],
    );
    t.host.addMember(gated.guildId, gated.nativeIdOf(0), ['vip']);
    const { roles } = await applyRoles(asMember, {});
    assert.deepEqual(roles, [
      { communityId: gated.guildId, roles: ['gold', 'vip'] },
      { communityId: bare.guildId, roles: ['friend'] },
    ]);
    const callsBefore = t.holdings.calls;
    await checkUserRolesByQuery(asMember, { communityId: bare.id });
    assert.equal(t.holdings.calls, callsBefore);
  });

  it('a community is not found by non-members, users and applications alike', async () => {
    await settle();
    const program: Actor = {
      kind: 'client',
      credential: 'api-key',
      client: { id: 'stranger', name: 'x', allowedScopes: ['role-manager'], disallowedScopes: [] },
    };
    const body = { communityId: guild.id, userId: guild.idOf(0) };
    for (const actor of [mallory, program]) {
      await assert.rejects(checkCommunityRoles(t.as(actor), { body }), missing);
      await assert.rejects(checkUserRoles(t.as(actor), { body }), missing);
      await assert.rejects(scheduleRoleCheck(t.as(actor), { body }), missing);
      await assert.rejects(applyRoles(t.as(actor), body), missing);
    }
    const nowhere = { communityId: 'DIS#COMM#0', userId: guild.idOf(0) };
    await assert.rejects(applyRoles(t.as(operator), nowhere), missing);
    await assert.rejects(applyRoles(t.as(operator), { communityId: guild.id, userId: '4' }), /Member not found/);
    await assert.rejects(
      checkUserRoles(t.as(operator), { body: { communityId: guild.id, userId: '*' } }),
      /one member/,
    );
    await assert.rejects(applyRoles(t.as(operator), { communityId: guild.id }), /userId must name a member/);
  });

  it('checks others on demand only with a plan that includes it, where plans are sold', async (test) => {
    test.after(() => {
      t.services.settings.selling = {};
    });
    await settle();
    await guild.resync([0]);
    const schedule = () => scheduleRoleCheck(t.as(admin), { body: { communityId: guild.id } });
    const apply = (actor: Actor, member: number) =>
      applyRoles(t.as(actor), { communityId: guild.id, userId: guild.idOf(member) });
    t.services.settings.selling = { isOn: true };
    const refusal = { code: 'PLAN_LIMIT_REACHED', message: /does not include on-demand role checks/ };
    await assert.rejects(schedule(), refusal);
    await assert.rejects(apply(admin, 0), refusal);
    await apply(memberActor(0), 0);
    await givePlan(t.as(operator), guild.id, 'community');
    await schedule();
    await apply(admin, 0);
  });

  it('schedules one check for many requests, at the earliest requested time', async () => {
    await settle();
    const schedule = (delay: number) => scheduleRoleCheck(t.as(admin), { body: { communityId: guild.id, delay } });
    await schedule(600);
    const answer = await schedule(300);
    await schedule(10_000_000);
    assert.equal(answer.dueAt, new Date(t.services.clock().getTime() + 300_000).toISOString());
    await guild.check();
    await guild.write();
    assert.deepEqual(guild.writes(), []);
    t.advanceSeconds(300);
    await guild.check();
    await guild.write();
    assert.deepEqual(guild.rolesOf(0), ['vip', 'gold']);
    assert.deepEqual(guild.rolesOf(1), ['vip']);
  });

  it('schedules nothing for a member unknown to both the server and the platform', async () => {
    await settle(1);
    const schedule = (userId: string) => scheduleRoleCheck(t.as(admin), { body: { communityId: guild.id, userId } });
    const queued = async () =>
      (
        await t.services.db.system
          .selectFrom('reconcile_queue')
          .select('user_id')
          .where('community_id', '=', guild.id)
          .execute()
      ).map(({ user_id }) => user_id);
    await assert.rejects(schedule('4'), /Member not found/);
    assert.deepEqual(await queued(), []);
    await schedule(guild.nativeIdOf(0));
    assert.deepEqual(await queued(), [guild.idOf(0)], 'a member that only the platform knows');
    await guild.resync();
    t.host.fail('Discord does not answer.');
    await schedule(guild.idOf(0));
    await schedule('5');
    t.host.fail(undefined);
    assert.deepEqual((await queued()).toSorted(), ['DIS#USER#5', guild.idOf(0)].toSorted(), 'unknown is not missing');
  });

  it('says that the platform is down, so that the caller can retry', async () => {
    await settle();
    t.host.fail('Discord does not answer.');
    await assert.rejects(
      applyRoles(t.as(admin), { communityId: guild.id, userId: guild.idOf(2) }),
      /Try again shortly/,
    );
    t.host.fail(undefined);
  });
});
