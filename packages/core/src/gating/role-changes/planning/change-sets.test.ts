import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AppError } from '@latchkey/kernel';
import { dequeueEveryone, enqueueReconcile, selectEveryone } from '../../../communities/reconcile-queue/index.ts';
import { mallory, type TestPlatform, testPlatform } from '../../../testing/index.ts';
import { approveChangeSet, rejectChangeSet } from '../review/decide.ts';
import { getChangeSet, listChangeSets } from '../review/reads.ts';
import { undoChangeSet } from '../review/undo.ts';
import { admin, type Guild, setUpGuild } from '../testing/index.ts';
import { previewChangeSet } from './preview.ts';

describe('change sets', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('changeSets');
  });
  after(() => t.close());

  const changeSetsOf = async (guild: Guild) => (await listChangeSets(t.as(admin), guild.id)).items;
  const holders = (guild: Guild, members: number) =>
    Array.from({ length: members }, (_, member) => guild.rolesOf(member)).filter((roles) => roles?.includes('gold'))
      .length;
  // Every role of every member, as one comparable string.
  const stateOf = (guild: Guild, members: number) =>
    JSON.stringify(Array.from({ length: members }, (_, member) => guild.rolesOf(member)?.toSorted()));

  async function settle(members: number, keeping: number): Promise<Guild> {
    const guild = await setUpGuild(t, { members, roles: () => ['gold', 'vip'] });
    for (let member = 0; member < keeping; member += 1) guild.hold(member, '1');
    return guild;
  }

  it('nine removals of a hundred go through, and so do ten of two hundred', async () => {
    const small = await settle(100, 91);
    await small.resync();
    assert.equal(holders(small, 100), 91);
    const large = await settle(200, 190);
    await large.resync();
    assert.equal(holders(large, 200), 190);
  });

  it('eleven removals of two hundred need an admin’s approval, while grants go through', async () => {
    const guild = await settle(200, 189);
    t.host.addMember(guild.guildId, guild.nativeIdOf(0), []);
    await guild.resync();
    assert.equal(holders(guild, 200), 200);
    const [done, held] = (await changeSetsOf(guild)).toSorted((a, b) => a.status.localeCompare(b.status));
    assert.deepEqual([done?.status, done?.grants, done?.revokes], ['done', 1, 0]);
    assert.deepEqual([held?.status, held?.grants, held?.revokes, held?.calls], ['held', 0, 11, 11]);
    assert.match(held?.note ?? '', /11 of 200/, 'of those who have it now');
    await guild.resync();
    assert.equal((await changeSetsOf(guild)).length, 2, 'the next resync does not hold it again');
    await approveChangeSet(t.as(admin), held?.id ?? '');
    await guild.write();
    assert.equal(holders(guild, 200), 189);
    await assert.rejects(approveChangeSet(t.as(admin), held?.id ?? ''), /STATE_CONFLICT|this one is done/);
  });

  it('a reader that reports zero for every member takes nothing', async () => {
    const guild = await settle(50, 50);
    const { read } = t.holdings;
    t.holdings.read = async (questions) => questions.map(() => ({ kind: 'read', amount: '0', block: { number: '3' } }));
    await guild.resync();
    t.holdings.read = read;
    assert.equal(holders(guild, 50), 50);
    await guild.resync();
    const [changeSet] = await changeSetsOf(guild);
    assert.equal(
      changeSet?.status,
      'dropped',
      'once the correct balances are known, nothing is left of the held change set',
    );
    assert.equal(guild.writes().length, 0);
  });

  it('many small removals are held like a large one', async () => {
    const guild = await settle(100, 100);
    for (let round = 0; round < 5; round += 1) {
      for (let member = round * 3; member < round * 3 + 3; member += 1) guild.hold(member, '0');
      await guild.resync();
    }
    assert.equal(holders(guild, 100), 91);
    t.advanceSeconds(24 * 60 * 60 + 1);
    const held = (await changeSetsOf(guild)).filter((changeSet) => changeSet.status === 'held');
    assert.deepEqual(
      held.map(({ revokes }) => revokes),
      [6],
      'the last ones join those that wait',
    );
  });

  it('undo restores every role, byte for byte, and the next resync leaves it so', async () => {
    const guild = await settle(30, 25);
    t.host.addMember(guild.guildId, guild.nativeIdOf(3), ['vip']);
    const before = stateOf(guild, 30);
    await guild.resync();
    assert.notEqual(stateOf(guild, 30), before);
    const [changeSet] = await changeSetsOf(guild);
    const undo = await undoChangeSet(t.as(admin), changeSet?.id ?? '');
    await guild.write();
    assert.equal(stateOf(guild, 30), before);
    assert.deepEqual([undo.undoes, undo.grants, undo.revokes], [changeSet?.id, 5, 1]);
    await guild.resync();
    assert.equal(stateOf(guild, 30), before, 'a resync does not do it again');
    await guild.resync([29], 'requested');
    assert.deepEqual(guild.rolesOf(29), ['vip'], 'a check started by an admin applies the rules');
    await enqueueReconcile(t.services.db.system, {
      communityId: guild.id,
      members: '*',
      cause: 'rule',
      roleIds: ['gold'],
    });
    await guild.check();
    await guild.write();
    assert.equal(holders(guild, 30), 25, 'and so does a rule change');
  });

  it('what a rule change led to is not dropped by a check of everyone that is added meanwhile', async () => {
    const guild = await settle(3, 3);
    const { db } = t.services;
    const add = (cause: 'rule' | 'schedule', roleIds: string[] = []) =>
      enqueueReconcile(db.system, { communityId: guild.id, members: '*', cause, roleIds });
    const due = () => selectEveryone(db.system, guild.id, t.services.clock());
    const leftAfter = async (meanwhile: () => Promise<void>) => {
      await add('rule', ['gold']);
      const everyone = await due();
      assert.ok(everyone);
      await meanwhile();
      await db.transaction('system', (tx) => dequeueEveryone(tx, guild.id, everyone));
      const left = await due();
      await db.system.deleteFrom('reconcile_queue').where('community_id', '=', guild.id).execute();
      return left && [left.cause, left.role_ids.toSorted()];
    };
    assert.equal(await leftAfter(async () => undefined), undefined);
    assert.deepEqual(await leftAfter(() => add('schedule')), ['schedule', []]);
    assert.deepEqual(await leftAfter(() => add('rule', ['vip'])), ['rule', ['gold', 'vip']]);
  });

  it('undo stops what is left of an unfinished change set', async () => {
    const guild = await settle(8, 0);
    t.host.interfere((write) =>
      write.communityId === guild.guildId && guild.writes().length > 3 ? { kind: 'failed', reason: 'busy' } : undefined,
    );
    await guild.resync();
    t.host.interfere(undefined);
    assert.equal(holders(guild, 8), 5);
    const [changeSet] = await changeSetsOf(guild);
    assert.equal(changeSet?.status, 'applying');
    await undoChangeSet(t.as(admin), changeSet?.id ?? '');
    t.advanceSeconds(60);
    await guild.write();
    assert.equal(holders(guild, 8), 8);
  });

  it('a rejected change set is not made again by the next resync', async () => {
    const guild = await settle(40, 10);
    await guild.resync();
    const [held] = await changeSetsOf(guild);
    await rejectChangeSet(t.as(admin), held?.id ?? '');
    await guild.resync();
    const changeSets = await changeSetsOf(guild);
    assert.deepEqual([changeSets.map((changeSet) => changeSet.status), holders(guild, 40)], [['rejected'], 40]);
    await assert.rejects(undoChangeSet(t.as(admin), held?.id ?? ''), AppError);
  });

  it('a preview changes nothing until it is approved, and shows who, why and how many calls', async () => {
    const guild = await settle(3, 1);
    guild.hold(2, '5');
    const changeSet = await previewChangeSet(t.as(admin), guild.id, '*');
    assert.deepEqual([changeSet.status, changeSet.grants, changeSet.revokes, changeSet.calls], ['previewed', 0, 1, 1]);
    assert.equal(holders(guild, 3), 3);
    const { items } = await getChangeSet(t.as(admin), changeSet.id);
    assert.deepEqual(
      items.items.map(({ user_id, action, state }) => [user_id, action, state]),
      [[guild.idOf(1), 'revoke', 'planned']],
    );
    assert.match(JSON.stringify(items.items[0]?.reason), /"truth":"false"/);
    await approveChangeSet(t.as(admin), changeSet.id);
    await guild.write();
    assert.equal(holders(guild, 3), 2);
  });

  it('change sets are not found by non-admins', async () => {
    const guild = await settle(1, 0);
    await guild.resync();
    const [changeSet] = await changeSetsOf(guild);
    const stranger = t.as(mallory);
    const missing = / not found/;
    await assert.rejects(getChangeSet(stranger, changeSet?.id ?? ''), missing);
    await assert.rejects(undoChangeSet(stranger, changeSet?.id ?? ''), missing);
    await assert.rejects(approveChangeSet(stranger, changeSet?.id ?? ''), missing);
    await assert.rejects(rejectChangeSet(stranger, changeSet?.id ?? ''), missing);
    await assert.rejects(previewChangeSet(stranger, guild.id, '*'), missing);
    await assert.rejects(listChangeSets(stranger, guild.id), missing);
    const seen = await stranger.tx((tx) => tx.selectFrom('change_sets').selectAll().execute());
    assert.deepEqual(seen, []);
  });
});
