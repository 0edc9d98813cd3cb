import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { seed } from '@latchkey/test-kit';
import { createGuestPass, issueGuestPass } from '../../communities/guest-passes/index.ts';
import { selectRules } from '../../communities/rule-records/index.ts';
import { mallory, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { createRule, removeRule } from '../community-rules/index.ts';
import {
  approveChangeSet,
  listChangeSets,
  previewUndo,
  rejectChangeSet,
  undoChangeSet,
} from '../role-changes/index.ts';
import { throwDice } from '../role-changes/testing/dice.ts';
import { admin, erc20Rule, type Guild, setUpGuild } from '../role-changes/testing/index.ts';
import { deleteCommunityRule, previewRuleDeletion } from './delete-rule.ts';
import { createCommunityRule } from './operations.ts';

const gold = '222222222222222222';
const other = '0x00000000000000000000000000000000000000cc';
const third = '0x00000000000000000000000000000000000000dd';
const ruleId = 'TPC#1';

describe('deleting a rule', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('rule-deletion');
  });
  after(() => t.close());

  /** Members to whom the first rule granted the role, and one more to whom an admin gave it manually. */
  async function setUp(members: number, rules: readonly Record<string, unknown>[] = [erc20Rule(gold)]) {
    const guild = await setUpGuild(t, { members: members + 1, rules });
    for (let member = 0; member < members; member += 1) guild.hold(member, '1');
    await guild.resync();
    t.host.addMember(guild.guildId, guild.nativeIdOf(members), [gold]);
    await t.services.db.pool.query(
      `insert into community_admins (community_id, user_id, confirmed_at, added_at) values ($1, 'DIS#USER#1', $2, $2)`,
      [guild.id, t.services.clock()],
    );
    return guild;
  }
  const remove = (guild: Guild, roles: 'keep' | 'take', id = ruleId) =>
    deleteCommunityRule(t.as(admin), { communityId: guild.id, ruleId: id, roles });
  const settle = async (guild: Guild) => {
    await guild.check();
    await guild.write();
  };
  const holdersIn = (guild: Guild, members: number) =>
    Array.from({ length: members }, (_, member) => member).filter((member) => guild.rolesOf(member)?.includes(gold));
  const newest = async (guild: Guild) => {
    const { items } = await listChangeSets(t.as(operator), guild.id);
    return items.toSorted((a, b) => b.created_at.getTime() - a.created_at.getTime())[0];
  };
  const preview = (guild: Guild, roles: 'keep' | 'take', more = {}) =>
    previewRuleDeletion(t.as(admin), { communityId: guild.id, ruleId, roles, ...more });

  it('with the choice to keep leaves the role with every member', async () => {
    const guild = await setUp(3);
    const { totals, items } = await preview(guild, 'keep');
    assert.deepEqual([totals?.keeps, totals?.loses, items[0]?.keepReason], [4, 0, 'choice']);
    await remove(guild, 'keep');
    await settle(guild);
    await guild.resync();
    assert.deepEqual(holdersIn(guild, 4), [0, 1, 2, 3]);
  });

  it('with the choice to take removes what Latchkey gave, by a change set that names the rule change', async () => {
    const guild = await setUp(3);
    t.advanceSeconds(1);
    const { ruleChangeId } = await remove(guild, 'take');
    await settle(guild);
    assert.deepEqual(holdersIn(guild, 4), [3], 'a role that an admin gave manually stays');
    const changeSet = await newest(guild);
    assert.deepEqual(
      [changeSet?.cause, changeSet?.rule_change_ids.map(String), changeSet?.status, changeSet?.written_revokes],
      ['rule', [ruleChangeId], 'done', 3],
    );
    t.host.addMember(guild.guildId, guild.nativeIdOf(0), [gold]);
    await guild.resync();
    assert.deepEqual(holdersIn(guild, 4), [0, 3], 'a role that an admin gives later stays too');
  });

  it('shows in advance who keeps the role and why, page by page with the totals on the first', async () => {
    const guild = await setUp(4, [
      erc20Rule(gold),
      {
        scheme: 'role_composition',
        roleId: gold,
        variables: {
          roleComposition: { action: 'add', roleId: gold, operator: 'and', condition: { helper: true } },
        },
      },
    ]);
    const pass = await createGuestPass(t.as(operator), {
      guildId: guild.guildId,
      body: { name: 'Guest', roleSet: [{ id: gold }], period: 3600 },
    });
    await issueGuestPass(t.as(operator), { guildId: guild.guildId, passId: pass.id ?? '', userId: guild.idOf(0) });
    t.host.addMember(guild.guildId, guild.nativeIdOf(1), [gold, 'helper']);
    const first = await preview(guild, 'take', { limit: 3 });
    const second = await preview(guild, 'take', { limit: 3, paginationToken: first.paginationToken });
    const reply = [...first.items, ...second.items];
    assert.deepEqual(
      Object.fromEntries(reply.map(({ userId, outcome, keepReason }) => [userId, keepReason ?? outcome])),
      {
        [guild.idOf(0)]: 'guest-pass',
        [guild.idOf(1)]: 'composition',
        [guild.idOf(2)]: 'loses',
        [guild.idOf(3)]: 'loses',
        [guild.idOf(4)]: 'not-granted',
      },
    );
    const { holders, loses, keeps, notGranted, isHeld, isWhole } = first.totals ?? {};
    assert.deepEqual([holders, loses, keeps, notGranted, isHeld, isWhole], [5, 2, 3, 1, false, true]);
    assert.deepEqual([second.totals, second.paginationToken], [undefined, undefined]);
    await remove(guild, 'take');
    await settle(guild);
    assert.deepEqual(holdersIn(guild, 5), [0, 1, 4]);
  });

  it('leaves the decision to another rule of the role, and says so to an admin who wants to keep the role', async () => {
    const guild = await setUp(2, [erc20Rule(gold), erc20Rule(gold, '1', other)]);
    guild.hold(1, '1', other);
    await assert.rejects(remove(guild, 'keep'), { code: 'STATE_CONFLICT', message: /TPC#2/ });
    assert.equal((await selectRules(t.services.db.system, guild.id)).length, 2, 'nothing was deleted');
    const { items, totals } = await preview(guild, 'take');
    assert.deepEqual(
      items.map(({ outcome, keepReason }) => keepReason ?? outcome),
      ['loses', 'other-rule', 'loses'],
    );
    assert.deepEqual([totals?.loses, totals?.keeps, totals?.notGranted], [2, 1, 0]);
    await remove(guild, 'take');
    await settle(guild);
    assert.deepEqual(holdersIn(guild, 3), [1]);
  });

  it('holds the removal of many, takes nothing if it is rejected, and takes each role once if it is approved', async () => {
    const guild = await setUp(12);
    assert.equal((await preview(guild, 'take')).totals?.isHeld, true);
    t.advanceSeconds(1);
    await remove(guild, 'take');
    await settle(guild);
    const held = await newest(guild);
    assert.deepEqual([held?.status, holdersIn(guild, 13).length], ['held', 13]);
    const rejected = await setUp(12);
    t.advanceSeconds(1);
    await remove(rejected, 'take');
    await settle(rejected);
    await rejectChangeSet(t.as(operator), (await newest(rejected))?.id ?? '');
    await rejected.resync();
    assert.equal(holdersIn(rejected, 13).length, 13);
    await approveChangeSet(t.as(operator), held?.id ?? '');
    await guild.write();
    await guild.resync();
    assert.deepEqual(holdersIn(guild, 13), [12]);
    const { rows } = await t.services.db.pool.query(
      `select count(*)::int as taken from role_ledger where community_id = $1 and action = 'revoke'`,
      [guild.id],
    );
    assert.equal(rows[0].taken, 12);
  });

  it('takes the roles once although the worker was stopped after the deletion and after the change set was created', async () => {
    const guild = await setUp(3);
    await remove(guild, 'take');
    t.host.fail('Discord is down.');
    await assert.rejects(guild.check());
    t.host.fail(undefined);
    await guild.check();
    const before = guild.writes().length;
    await guild.check();
    await guild.write();
    await guild.write();
    assert.deepEqual([holdersIn(guild, 4), guild.writes().length - before], [[3], 3]);
  });

  it('is undone with the rule and the roles, and the rule decides again', async () => {
    const guild = await setUp(3);
    t.advanceSeconds(1);
    await remove(guild, 'take');
    await settle(guild);
    const taken = (await newest(guild))?.id ?? '';
    const { restoresRule, rules } = await previewUndo(t.as(operator), taken);
    assert.deepEqual([restoresRule, rules.map((rule) => [rule.ruleId, rule.action])], [true, [[ruleId, 'removed']]]);
    await undoChangeSet(t.as(operator), taken);
    await guild.write();
    await settle(guild);
    assert.deepEqual(holdersIn(guild, 4), [0, 1, 2], 'the member who does not meet the rule has it no longer');
    guild.hold(0, '0');
    await guild.resync();
    assert.deepEqual(holdersIn(guild, 4), [1, 2]);
  });

  it('is undone without the rule if an admin wants that: the roles stay', async () => {
    const guild = await setUp(2);
    t.advanceSeconds(1);
    await remove(guild, 'take');
    await settle(guild);
    await undoChangeSet(t.as(operator), (await newest(guild))?.id ?? '', { restoreRule: false });
    await guild.write();
    await guild.resync();
    assert.deepEqual(holdersIn(guild, 3), [0, 1, 2]);
    assert.deepEqual(await selectRules(t.services.db.system, guild.id), []);
  });

  it('counts by the latest decision: a new rule, or one deleted to keep the role, ends the taking', async () => {
    const guild = await setUp(2);
    await remove(guild, 'take');
    await createRule(t.as(operator), { id: guild.id, body: erc20Rule(gold, '1', other) });
    const [created] = await selectRules(t.services.db.system, guild.id);
    await removeRule(t.as(operator), { id: guild.id, tpcId: created?.id ?? '' });
    await settle(guild);
    assert.deepEqual(holdersIn(guild, 3), [0, 1, 2]);
  });

  it('is not found by non-admins, and a rule that is gone cannot be deleted or previewed', async () => {
    const guild = await setUp(1);
    const given = { communityId: guild.id, ruleId, roles: 'take' as const };
    await assert.rejects(deleteCommunityRule(t.as(mallory), given), { code: 'ENTITY_NOT_FOUND' });
    await assert.rejects(previewRuleDeletion(t.as(mallory), given), { code: 'ENTITY_NOT_FOUND' });
    await remove(guild, 'keep');
    await assert.rejects(remove(guild, 'take'), { code: 'ENTITY_NOT_FOUND' });
    await assert.rejects(preview(guild, 'take'), { code: 'ENTITY_NOT_FOUND' });
  });

  it('never takes the role from a member who qualifies by another rule, in random communities', async () => {
    const dice = throwDice(`${seed}`);
    for (let round = 0; round < 5; round += 1) {
      const contracts = [undefined, other, third].slice(0, 1 + dice.below(3));
      const guild = await setUpGuild(t, {
        members: 8,
        rules: contracts.map((contract) => erc20Rule(gold, '1', contract)),
      });
      const held = Array.from({ length: 8 }, () => contracts.map(() => dice.below(2) === 1));
      for (const [member, amounts] of held.entries())
        for (const [at, has] of amounts.entries()) guild.hold(member, has ? '1' : '0', contracts[at]);
      await guild.resync();
      const deleted = dice.below(contracts.length);
      const given = { communityId: guild.id, ruleId: `TPC#${deleted + 1}`, roles: 'take' as const };
      await deleteCommunityRule(t.as(operator), given);
      await settle(guild);
      const expected = held.flatMap((amounts, member) =>
        amounts.some((has, at) => has && at !== deleted) ? [member] : [],
      );
      assert.deepEqual(holdersIn(guild, 8), expected, `seed ${seed}, round ${round}`);
    }
  });
});

describe('an identical rule', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('identical-rules');
  });
  after(() => t.close());

  const rule = { ...erc20Rule(gold, '1', `0x${'ab'.repeat(20)}`), name: 'Holders' };
  const same = {
    name: 'Copy',
    roleId: gold,
    minToken: '1.0',
    contractAddress: `0x${'AB'.repeat(20)}`,
    chainId: 1,
    type: 'erc20',
  };
  const create = (guild: Guild, body: Record<string, unknown>) =>
    createCommunityRule(t.as(operator), { communityId: guild.id, body: { rule: body } });

  it('is refused with the name of the existing one, however its fields are spelled', async () => {
    const guild = await setUpGuild(t, { members: 0, rules: [rule] });
    const { minToken: _default, ...withoutDefault } = same;
    for (const body of [rule, same, withoutDefault])
      await assert.rejects(create(guild, body), { code: 'STATE_CONFLICT', message: /“Holders” \(TPC#1\)/ });
    for (const body of [
      { ...same, minToken: '2' },
      { ...same, roleId: 'silver' },
      { ...same, chainId: 137 },
    ])
      await create(guild, body);
    assert.equal((await selectRules(t.services.db.system, guild.id)).length, 4);
  });

  it('is found in a tree of conditions', async () => {
    const tree = (part: Record<string, unknown>) => ({
      scheme: 'logic',
      roleId: gold,
      variables: { rule: { and: [part, { type: 'POAP', eventId: '1' }] } },
    });
    const { name: _name, ...stored } = rule;
    const { name: _copy, ...part } = same;
    const guild = await setUpGuild(t, { members: 0, rules: [tree(stored)] });
    await assert.rejects(create(guild, tree(part)), { code: 'STATE_CONFLICT' });
    await create(guild, tree({ ...part, minToken: '7' }));
  });

  it('is created by the published operation, with a warning', async () => {
    const guild = await setUpGuild(t, { members: 0, rules: [rule] });
    const warnings: string[] = [];
    const ctx = { ...t.as(operator), warn: (message: string) => void warnings.push(message) };
    await createRule(ctx, { id: guild.id, body: same });
    await createRule(ctx, { id: guild.id, body: { ...same, minToken: '3' } });
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /already has a rule.*TPC#1/);
  });

  it('for another role is an ordinary new rule with a change set of its own', async () => {
    const guild = await setUpGuild(t, { members: 2 });
    guild.hold(0, '1');
    await guild.resync();
    await create(guild, erc20Rule('silver'));
    await guild.check();
    await guild.write();
    assert.deepEqual([guild.rolesOf(0)?.toSorted(), guild.rolesOf(1)], [['gold', 'silver'], []]);
    const { items } = await listChangeSets(t.as(operator), guild.id);
    assert.equal(
      items.filter(({ cause, rule_change_ids }) => cause === 'rule' && rule_change_ids.length === 1).length,
      1,
    );
  });
});
