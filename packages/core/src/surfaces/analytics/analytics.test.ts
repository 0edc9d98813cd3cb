import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from '@latchkey/db';
import { AppError, type ErrorCode } from '@latchkey/kernel';
import { addMembers, newCommunity, newUser } from '../../communities/community/testing.ts';
import { noteInteraction } from '../../communities/usage/index.ts';
import { mallory, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { countMembers } from './jobs.ts';
import { analytics, getRolesAdded, getRolesPie, getUserInteractions, getWalletConnections } from './operations.ts';
import { getCommunitySeries, seriesOperations } from './own-operations.ts';
import { spanOf } from './range.ts';

const gold = { id: 'gold', name: 'Gold', color: 5 };
const silver = { id: 'silver' };

describe('analytics', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('analytics');
  });
  after(() => t.close());

  function refusal(code: ErrorCode) {
    return (error: unknown) => error instanceof AppError && error.code === code;
  }

  const daysAgo = (days: number) => new Date(t.services.clock().getTime() - days * 24 * 60 * 60 * 1000);
  const dateOf = (days: number) => daysAgo(days).toISOString().slice(0, 10);

  let changeSets = 0;
  async function record(communityId: string, userId: string, roleId: string, action: 'grant' | 'revoke', at: Date) {
    changeSets += 1;
    await sql`
      insert into role_ledger (community_id, user_id, role_id, action, at, change_set_id, is_automatic, reason, blocks)
      values (${communityId}, ${userId}, ${roleId}, ${action}, ${at}, ${`plan-${changeSets}`}, true, '{}', '{}')`.execute(
      t.services.db.system,
    );
  }

  async function link(userId: string, namespace: string, at: Date) {
    changeSets += 1;
    await t.services.db.system
      .insertInto('wallet_connections')
      .values({
        id: `w${changeSets}`,
        user_id: userId,
        platform: 'discord',
        user_name: null,
        namespace,
        address: `a${changeSets}`,
        created_at: at,
      })
      .execute();
  }

  it('counts the holders of each role now and at the end of a past period', async () => {
    const { owner, id } = await newCommunity(t);
    const [one, two, three] = [newUser(), newUser(), newUser()];
    await addMembers(t, id, [
      { userId: one.userId, roleIds: ['gold', 'silver'] },
      { userId: two.userId, roleIds: ['gold'] },
      { userId: three.userId },
      { userId: 'DIS#USER#9', roleIds: ['gold'], isBot: true },
    ]);
    await record(id, one.userId, 'gold', 'grant', daysAgo(20));
    await record(id, two.userId, 'gold', 'grant', daysAgo(2));
    await record(id, three.userId, 'gold', 'revoke', daysAgo(3));
    const ctx = t.as(owner);
    assert.deepEqual(await getRolesPie(ctx, { communityId: id, range: '7d', body: [gold, silver, gold] }), [
      { ...gold, count: 2, added: 1, removed: 1 },
      { ...silver, count: 1, added: 0, removed: 0 },
    ]);
    const past = `${daysAgo(10).toISOString()}/${daysAgo(5).toISOString()}`;
    assert.deepEqual(await getRolesPie(ctx, { communityId: id, range: past, body: [gold] }), [
      { ...gold, count: 2, added: 0, removed: 0 },
    ]);
    assert.deepEqual(await getRolesPie(ctx, { communityId: id, body: [{ name: 'nameless' }] }), []);
  });

  it('counts roles granted per day, of the requested roles only', async () => {
    const { owner, id } = await newCommunity(t);
    const other = await newCommunity(t);
    for (const [roleId, days] of [
      ['gold', 1],
      ['gold', 1],
      ['gold', 3],
      ['silver', 3],
      ['bronze', 1],
      ['gold', 40],
    ] as const)
      await record(id, newUser().userId, roleId, 'grant', daysAgo(days));
    await record(id, newUser().userId, 'gold', 'revoke', daysAgo(1));
    await record(other.id, newUser().userId, 'gold', 'grant', daysAgo(1));
    const rows = await getRolesAdded(t.as(owner), { communityId: id, body: [gold, silver] });
    assert.deepEqual(rows, [
      { date: dateOf(3), ...gold, count: 1 },
      { date: dateOf(3), ...silver, count: 1 },
      { date: dateOf(1), ...gold, count: 2 },
    ]);
    assert.equal((await getRolesAdded(t.as(owner), { communityId: id, range: 'all', body: [gold] })).length, 3);
  });

  it('counts uses by day and kind, for communities that are known', async () => {
    const { owner, id } = await newCommunity(t);
    const db = t.services.db.system;
    await noteInteraction(db, id, 'command', daysAgo(1));
    await noteInteraction(db, id, 'command', daysAgo(1));
    await noteInteraction(db, id, 'message', daysAgo(2), 7);
    await noteInteraction(db, id, 'join', daysAgo(60));
    await noteInteraction(db, 'DIS#COMM#unknown', 'join', daysAgo(1));
    assert.deepEqual(await getUserInteractions(t.as(owner), { communityId: id }), [
      { date: dateOf(2), kind: 'message', count: 7 },
      { date: dateOf(1), kind: 'command', count: 2 },
    ]);
    const unknown = db
      .selectFrom('community_interactions')
      .select('kind')
      .where('community_id', '=', 'DIS#COMM#unknown');
    assert.deepEqual(await unknown.execute(), []);
  });

  it('counts the wallets of current members, and their totals', async () => {
    const { owner, id } = await newCommunity(t);
    const [member, stranger] = [newUser(), newUser()];
    await addMembers(t, id, [{ userId: member.userId }]);
    await link(member.userId, 'evm', daysAgo(50));
    await link(member.userId, 'evm', daysAgo(2));
    await link(member.userId, 'solana', daysAgo(1));
    await link(stranger.userId, 'evm', daysAgo(1));
    assert.deepEqual(await getWalletConnections(t.as(owner), { communityId: id }), [
      { date: dateOf(2), namespace: 'evm', count: 1, total: 2 },
      { date: dateOf(1), namespace: 'solana', count: 1, total: 3 },
    ]);
    assert.equal((await getWalletConnections(t.as(owner), { communityId: id, range: 'all' })).length, 3);
  });

  it('returns days without gaps: members as counted, roles granted and removed, holders counted back', async () => {
    const { owner, id } = await newCommunity(t);
    const users = [newUser(), newUser(), newUser()];
    await addMembers(
      t,
      id,
      users.map(({ userId }, index) => ({ userId, roleIds: index < 2 ? ['gold'] : [] })),
    );
    const [one, two, three] = users.map(({ userId }) => userId);
    await record(id, one ?? '', 'gold', 'grant', daysAgo(4));
    await record(id, two ?? '', 'gold', 'grant', daysAgo(2));
    await record(id, three ?? '', 'gold', 'revoke', daysAgo(2));
    await record(id, three ?? '', 'gold', 'grant', daysAgo(40));
    await noteInteraction(t.services.db.system, id, 'join', daysAgo(1), 2);
    const series = await getCommunitySeries(t.as(owner), { communityId: id, range: '7d' });
    assert.deepEqual(
      series.days.map(({ date }) => date),
      [7, 6, 5, 4, 3, 2, 1, 0].map(dateOf),
    );
    assert.deepEqual(
      series.days.map(({ given, taken, joined, members }) => [given, taken, joined, members]),
      [
        [0, 0, 0, undefined],
        [0, 0, 0, undefined],
        [0, 0, 0, undefined],
        [1, 0, 0, undefined],
        [0, 0, 0, undefined],
        [1, 1, 0, undefined],
        [0, 0, 2, undefined],
        [0, 0, 0, 3],
      ],
    );
    assert.deepEqual(series.roles, [{ roleId: 'gold', roleName: 'Gold', holders: [1, 1, 1, 2, 2, 2, 2, 2] }]);
    await countMembers.run(t.services, {}, { id: '1', attempt: 1, signal: new AbortController().signal });
    t.advanceSeconds(24 * 60 * 60);
    await addMembers(t, id, [{ userId: newUser().userId }, { userId: 'DIS#USER#8', isBot: true }]);
    const later = await getCommunitySeries(t.as(owner), { communityId: id, range: '1d' });
    assert.deepEqual(
      later.days.map(({ members }) => members),
      [3, 4],
      'a past day as counted then, and today as it is now',
    );
  });

  it('refuses series that are too long, and non-admins', async () => {
    const { owner, id } = await newCommunity(t);
    for (const range of ['all', '2020-01-01/2025-01-01', 'x'])
      await assert.rejects(
        getCommunitySeries(t.as(owner), { communityId: id, range }),
        refusal('INVALID_PARAMETER_VALUE'),
      );
    await assert.rejects(getCommunitySeries(t.as(mallory), { communityId: id }), refusal('ENTITY_NOT_FOUND'));
    assert.equal(await seriesOperations[0].contract.access.object?.admits(t.as(mallory), id), false);
  });

  it('accepts the documented ranges and refuses everything else', () => {
    const now = t.services.clock();
    for (const [range, days] of [
      ['1d', 1],
      ['7d', 7],
      ['30d', 30],
      ['90d', 90],
      ['1y', 365],
      [undefined, 30],
    ] as const)
      assert.deepEqual(spanOf(range, now), { from: daysAgo(days), to: now });
    assert.deepEqual(spanOf('all', now), { to: now });
    assert.deepEqual(spanOf('2025-01-01/2025-02-01T00:00:00+01:00', now), {
      from: new Date('2025-01-01T00:00:00Z'),
      to: new Date('2025-01-31T23:00:00Z'),
    });
    const wrong = [
      '',
      '2d',
      '7D',
      'ALL',
      '2025-01-01',
      '2025-02-01/2025-01-01',
      '2025-01-01/2025-01-01',
      '2025-13-01/2026-01-01',
      '/',
      'P7D',
      '2025-01-01/2025-01-02/2025-01-03',
      'constructor',
      '2025-01-01/x',
    ];
    for (const range of wrong) assert.throws(() => spanOf(range, now), refusal('INVALID_PARAMETER_VALUE'), range);
  });

  it('is for community admins', async () => {
    const { owner, id } = await newCommunity(t);
    const member = newUser();
    await addMembers(t, id, [{ userId: member.userId }]);
    await assert.rejects(getUserInteractions(t.as(mallory), { communityId: id }), refusal('ENTITY_NOT_FOUND'));
    for (const { route, contract } of analytics.operations) {
      assert.ok(contract.access.object, route);
      const admits = (actor: typeof owner) => contract.access.object?.admits(t.as(actor), id);
      assert.deepEqual([await admits(owner), await admits(member)], [true, false], route);
    }
  });
});
