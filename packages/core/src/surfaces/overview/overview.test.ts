import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '@latchkey/db';
import type { AuditAction } from '@latchkey/kernel';
import { updateAdmins } from '../../communities/admins/change-admins.ts';
import { changeOwnCommunity, removeOwnCommunity } from '../../communities/community/own-change-operations.ts';
import { addMembers, newCommunity } from '../../communities/community/testing.ts';
import { recordAudit } from '../../services/audit/index.ts';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { insertNotice } from '../admin-notices/queries.ts';
import { listActivity } from './activity.ts';
import { getCommunityHealth, keptSeconds, largeMembers } from './health.ts';
import { listMyCommunities } from './operations.ts';

describe('the overview of communities', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('overview');
  });
  after(() => t.close());

  const ada = 'DIS#USER#1001';
  const bob = 'DIS#USER#1002';

  async function addPlan(communityId: string, id: string, status: 'held' | 'done') {
    const row = {
      cause: 'rule',
      note: null,
      undoes: null,
      is_urgent: false,
      grants: 1,
      revokes: 0,
      calls: 1,
      unknowns: 0,
    };
    await t.services.db.system
      .insertInto('change_sets')
      .values({
        id,
        community_id: communityId,
        status,
        ...row,
        decided_by: null,
        decided_at: null,
        created_at: t.services.clock(),
        finished_at: null,
        queued_at: null,
        written_grants: 0,
        written_revokes: 0,
        written_members: 0,
        rule_change_ids: [],
        restored_rule_change_ids: [],
        large_notice: 'undecided',
        refreshed_at: null,
      })
      .execute();
  }

  async function addLedger(communityId: string, changeSetId: string, userId: string, action: 'grant' | 'revoke') {
    await sql`
      insert into role_ledger (community_id, user_id, role_id, action, change_set_id, at, is_automatic, reason, blocks)
      values (${communityId}, ${userId}, 'gold', ${action}, ${changeSetId}, ${t.services.clock()}, true, '{}', '{}')`.execute(
      t.services.db.system,
    );
  }

  test('a user sees their communities by name, searchable and page by page, with pending items', async () => {
    const { owner, id } = await newCommunity(t);
    const system = t.services.db.system;
    await system.updateTable('communities').set({ name: '<b>Żaba</b> _%' }).where('id', '=', id).execute();
    const other = await newCommunity(t);
    await updateAdmins(t.as(other.owner), { id: other.id, body: [other.owner.userId, owner.userId] });
    await addMembers(t, id, [{ userId: ada }, { userId: bob, isBot: true }]);
    await addPlan(id, 'held-1', 'held');
    await system
      .insertInto('role_circuit_breakers')
      .values({
        community_id: id,
        role_id: 'gold',
        user_id: '*',
        fault: 'above-bot',
        advice: 'Move it.',
        since: t.services.clock(),
        is_on_trial: false,
      })
      .execute();
    await t.services.db.transaction('system', (tx) =>
      insertNotice(tx, {
        id: 'n1',
        community_id: id,
        kind: 'broken-setup',
        about: 'x',
        details: { problems: ['Give it a right.'] },
        noted_at: t.services.clock(),
      }),
    );
    const first = await listMyCommunities(t.as(owner), { limit: 1 });
    const second = await listMyCommunities(t.as(owner), { limit: 1, paginationToken: first.paginationToken });
    assert.deepEqual(
      [first, second].flatMap(({ items }) => items.map((item) => item.id)),
      [id, other.id],
    );
    assert.equal(second.paginationToken, undefined);
    const [mine] = first.items;
    assert.deepEqual(
      [mine?.members, mine?.heldChangeSets, mine?.blockedRoles, mine?.setupProblems],
      [1, 1, 1, ['Give it a right.']],
    );
    const search = async (words: string) => (await listMyCommunities(t.as(owner), { search: words })).items.length;
    assert.deepEqual([await search('żABA'), await search('_%'), await search('%ab'), await search(' ')], [1, 1, 0, 2]);
    assert.deepEqual(
      (await listMyCommunities(t.as(other.owner), { search: 'żaba' })).items,
      [],
      'a stranger sees nothing of it',
    );
  });

  test('health contains statistics, re-checks, chains and pending items', async () => {
    const { owner, id } = await newCommunity(t);
    const system = t.services.db.system;
    const now = t.services.clock();
    await addMembers(t, id, [
      { userId: ada, roleIds: ['gold'] },
      { userId: bob },
      { userId: 'DIS#USER#3', isBot: true },
    ]);
    await system
      .insertInto('community_rules')
      .values({
        id: 'r1',
        community_id: id,
        role_id: 'gold',
        definition: {},
        visibility: 'public',
        created_at: now,
        updated_at: now,
      })
      .execute();
    await sql`
      insert into wallet_connections (id, user_id, platform, namespace, address, created_at)
      values ('w1', ${ada}, 'discord', 'evm', '0x01', ${now})`.execute(system);
    for (const chain of ['evm:1', 'evm:10', 'evm:137'])
      await system
        .insertInto('rule_assets')
        .values({ community_id: id, chain, standard: 'erc20', reference: '0x1' })
        .execute();
    const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);
    await system
      .insertInto('followed_chains')
      .values([
        { chain: 'evm:1', number: 5, hash: '0x5', followed_at: ago(10) },
        { chain: 'evm:10', number: 5, hash: '0x5', followed_at: ago(900) },
      ])
      .execute();
    await system
      .updateTable('communities')
      .set({ next_check_at: new Date(now.getTime() + 3600_000), check_period_seconds: 7200 })
      .where('id', '=', id)
      .execute();
    const health = await getCommunityHealth(t.as(owner), { communityId: id });
    assert.deepEqual([health.members, health.membersWithWallets, health.holders, health.rules], [2, 1, 1, 1]);
    assert.deepEqual(
      health.chains.map(({ chain, state }) => [chain, state]),
      [
        ['evm:1', 'live'],
        ['evm:10', 'behind'],
        ['evm:137', 'polled'],
      ],
    );
    t.holdings.unread.add('evm:137');
    const unread = await getCommunityHealth(t.as(owner), { communityId: id });
    assert.deepEqual(unread.chains.at(-1), { chain: 'evm:137', name: 'Polygon', state: 'unread' });
    t.holdings.unread.clear();
    assert.equal(health.lastCheckTime, ago(3600).toISOString());
    assert.deepEqual([health.heldChangeSets, health.blockedRoles, health.setupProblems], [0, 0, []]);
    await assert.rejects(getCommunityHealth(t.as(owner), { communityId: 'DIS#COMM#1' }), { code: 'ENTITY_NOT_FOUND' });
  });

  test('activity combines role changes and admin actions, newest first, and pages lose and repeat nothing', async () => {
    const { owner, id } = await newCommunity(t);
    await addMembers(t, id, [{ userId: ada }]);
    for (let turn = 0; turn < 4; turn++) {
      t.advanceSeconds(1);
      await addPlan(id, `p${turn}`, 'done');
      await addLedger(id, `p${turn}`, turn % 2 === 0 ? ada : bob, turn % 2 === 0 ? 'grant' : 'revoke');
      t.advanceSeconds(1);
      const who = turn === 3 ? '$admin/key-1' : owner.userId;
      await t.services.db.transaction('system', (tx) =>
        recordAudit(tx, { who, through: 'api', action: 'community.change', communityId: id, at: t.services.clock() }),
      );
    }
    const all = (await listActivity(t.as(owner), { communityId: id })).items;
    assert.equal(all.length, 8);
    assert.deepEqual(
      all
        .map(({ time }) => time)
        .toSorted()
        .reverse(),
      all.map(({ time }) => time),
    );
    const paged = [];
    for (let paginationToken: string | undefined, more = true; more; more = paginationToken !== undefined) {
      const page = await listActivity(t.as(owner), { communityId: id, limit: 3, paginationToken });
      paged.push(...page.items);
      paginationToken = page.paginationToken;
    }
    assert.deepEqual(paged, all);
    assert.deepEqual(all[0]?.userId, undefined, 'the key that the operator used is not shown');
    assert.equal(all[0]?.meaning, 'A community was changed.');
    const given = all.find(({ kind }) => kind === 'role-given');
    assert.deepEqual([given?.userId, given?.roleName, given?.changeSetId], [ada, 'Gold', 'p2']);
  });

  test('activity names what an action was done to, also after that was deleted', async () => {
    const { owner, id } = await newCommunity(t);
    await addMembers(t, id, [{ userId: ada }]);
    await t.services.db.system
      .updateTable('community_members')
      .set({ user_name: 'ada' })
      .where('community_id', '=', id)
      .execute();
    const record = (action: AuditAction, target: string) =>
      t.services.db.transaction('system', (tx) =>
        recordAudit(tx, { who: owner.userId, through: 'api', action, target, communityId: id, at: t.services.clock() }),
      );
    const change = async (action: string, ruleId: string, name: string) => {
      const state = JSON.stringify({ roleId: 'gold', definition: { name }, visibility: 'public' });
      const [before, after] = [action === 'created' ? null : state, action === 'removed' ? null : state];
      await sql`
        insert into community_rule_changes (community_id, rule_id, action, changed_by, changed_at, before, after)
        values (${id}, ${ruleId}, ${action}, ${owner.userId}, ${t.services.clock()}, ${before}::jsonb, ${after}::jsonb)`.execute(
        t.services.db.system,
      );
    };
    // The request that creates a rule names only the community.
    await change('created', 'TPC#1', 'Supporter');
    await record('rule.create', id);
    t.advanceSeconds(60);
    await change('removed', 'TPC#1', 'Supporter');
    await record('rule.delete', 'TPC#1');
    t.advanceSeconds(60);
    await record('rule.change', 'TPC#2');
    await record('guest-pass.give', ada);
    await record('community.app-remove', 'gone');
    await record('change-set.undo', 'cs-1');
    await record('community.change', id);
    const { items } = await listActivity(t.as(owner), { communityId: id });
    assert.deepEqual(
      items.map(({ action, object }) => [action, object]),
      [
        ['community.change', undefined],
        ['change-set.undo', { kind: 'change-set', id: 'cs-1', exists: true }],
        ['community.app-remove', { kind: 'app', id: 'gone', exists: false }],
        ['guest-pass.give', { kind: 'member', id: ada, exists: true, name: 'ada' }],
        ['rule.change', { kind: 'rule', id: 'TPC#2', exists: false }],
        ['rule.delete', { kind: 'rule', id: 'TPC#1', exists: false, name: 'Supporter' }],
        ['rule.create', { kind: 'rule', id: 'TPC#1', exists: false, name: 'Supporter' }],
      ],
    );
  });

  test('the metrics of a large community are cached, those of a small one counted each time', async () => {
    const { owner, id } = await newCommunity(t);
    const add = (from: number, to: number) =>
      sql`insert into community_members (community_id, user_id, role_ids, seen_at)
          select ${id}, 'DIS#USER#9' || lpad(n::text, 8, '0'), '{}', ${t.services.clock()}::timestamptz
          from generate_series(${from}::int, ${to}::int) n`.execute(t.services.db.system);
    const members = async () => (await getCommunityHealth(t.as(owner), { communityId: id })).members;
    await add(1, 10);
    assert.equal(await members(), 10);
    await add(11, largeMembers);
    assert.equal(await members(), largeMembers);
    await add(largeMembers + 1, largeMembers + 5);
    assert.equal(await members(), largeMembers);
    t.advanceSeconds(keptSeconds);
    assert.equal(await members(), largeMembers + 5);
  });

  test('a community is renamed, paused and removed by its admin, and removed only right after a sign-in', async () => {
    const { owner, id } = await newCommunity(t);
    const row = () =>
      t.services.db.system.selectFrom('communities').select(['name', 'status']).where('id', '=', id).executeTakeFirst();
    await changeOwnCommunity(t.as(owner), { communityId: id, body: { name: 'Dogs', isPaused: true } });
    assert.deepEqual(await row(), { name: 'Dogs', status: 'paused' });
    await changeOwnCommunity(t.as(owner), { communityId: id, body: { isPaused: false } });
    assert.deepEqual(await row(), { name: 'Dogs', status: 'active' });
    await t.services.db.system.updateTable('communities').set({ status: 'kicked' }).where('id', '=', id).execute();
    await changeOwnCommunity(t.as(owner), { communityId: id, body: { isPaused: false } });
    assert.equal((await row())?.status, 'kicked', 'only the platform brings the bot back');
    const other = await newCommunity(t);
    const theirs = { communityId: id, body: { name: 'Mine' } };
    await assert.rejects(changeOwnCommunity(t.as(other.owner), theirs), { code: 'ENTITY_NOT_FOUND' });
    await assert.rejects(removeOwnCommunity(t.as(owner), { communityId: id }), { code: 'PRESENCE_REQUIRED' });
    const present = { ...owner, presence: { how: 'wallet', at: t.services.clock() } } as const;
    await removeOwnCommunity(t.as(present), { communityId: id });
    assert.equal(await row(), undefined);
  });
});
