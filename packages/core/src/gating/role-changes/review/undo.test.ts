import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { noteMember } from '../../../communities/members/index.ts';
import { operator, type TestPlatform, testPlatform } from '../../../testing/index.ts';
import { insertNewRule, removeRule, rewriteRule } from '../../community-rules/index.ts';
import { admin, erc20Rule, type Guild, setUpGuild } from '../testing/index.ts';
import { approveChangeSet, rejectChangeSet } from './decide.ts';
import { handleGet, handleList, handlePreviewUndo, handleUndo } from './operations.ts';
import { listChangeSets } from './reads.ts';
import { previewUndo, undoChangeSet } from './undo.ts';

const ruleId = 'TPC#1';

describe('undoing role changes', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('undo');
  });
  after(() => t.close());

  const asAdmin = () => t.as(admin);
  /** Newest first. */
  const changeSetsOf = async (guild: Guild) => {
    const { rows } = await t.services.db.pool.query<{ id: string; status: string }>(
      `select p.id, p.status from change_sets p where community_id = $1
       order by (select max(i.rank % 1000000000000000) from change_set_items i where i.change_set_id = p.id) desc nulls last`,
      [guild.id],
    );
    return rows;
  };
  const newestOf = async (guild: Guild) => (await changeSetsOf(guild))[0]?.id ?? '';
  const suppressedIn = async (guild: Guild) => {
    const { rows } = await t.services.db.pool.query<{ user_id: string }>(
      'select user_id from role_suppressions where community_id = $1 order by user_id',
      [guild.id],
    );
    return rows.map(({ user_id }) => user_id);
  };
  /** Changes how much of the token the rule requires, then runs the check and its writes. */
  const edit = async (guild: Guild, minToken: string) => {
    await rewriteRule(t.as(operator), { id: guild.id, tpcId: ruleId, body: erc20Rule('gold', minToken) });
    await guild.check();
    await guild.write();
    return newestOf(guild);
  };
  const thresholdOf = async (guild: Guild) => {
    const { rows } = await t.services.db.pool.query(
      `select definition ->> 'minToken' as least from community_rules where community_id = $1 and id = $2`,
      [guild.id, ruleId],
    );
    return rows[0]?.least;
  };
  /** A member who was granted the role (A), sold and lost it (B), and bought back and got it again (C). */
  async function earnedTwice(): Promise<{ guild: Guild; a: string; b: string; c: string }> {
    const guild = await setUpGuild(t, { members: 2 });
    const ids: string[] = [];
    for (const amount of ['1', '0', '1']) {
      guild.hold(0, amount);
      await guild.resync([0], 'wallet');
      ids.push(await newestOf(guild));
    }
    return { guild, a: ids[0] ?? '', b: ids[1] ?? '', c: ids[2] ?? '' };
  }

  it('leaves a role that a later change set granted again', async () => {
    const { guild, a, c } = await earnedTwice();
    const preview = await handlePreviewUndo(asAdmin(), { communityId: guild.id, changeSetId: a });
    assert.deepEqual([preview.grants, preview.revokes, preview.superseded], [0, 0, 1]);
    const [item] = preview.items;
    assert.deepEqual(
      [item?.outcome, item?.supersededBy?.changeSetId, item?.qualifies, item?.isSuppressed],
      ['superseded', c, true, false],
    );
    assert.match(item?.supersededBy?.ledgerEntryId ?? '', /^\d+$/);
    const undo = await handleUndo(asAdmin(), { communityId: guild.id, changeSetId: a });
    await guild.write();
    assert.deepEqual([undo.grants, undo.revokes, guild.rolesOf(0)], [0, 0, ['gold']]);
    guild.hold(0, '0');
    await guild.resync();
    assert.deepEqual([guild.rolesOf(0), await suppressedIn(guild)], [[], []], 'the rules still decide');
  });

  it('also stops what was not written yet: checks do not resume it, until the undo is undone', async () => {
    const guild = await setUpGuild(t, { members: 4 });
    for (const member of [0, 1, 2, 3]) guild.hold(member, '1');
    t.host.interfere(({ communityId, userId }) =>
      communityId === guild.guildId && Number(userId) % 2 === 1 ? { kind: 'failed', reason: 'busy' } : undefined,
    );
    await guild.resync();
    t.host.interfere(undefined);
    const holders = () => [0, 1, 2, 3].filter((member) => guild.rolesOf(member)?.includes('gold')).length;
    assert.equal(holders(), 2, 'half of it is written');
    const { id } = await undoChangeSet(asAdmin(), await newestOf(guild));
    t.advanceSeconds(600);
    await guild.write();
    await guild.resync();
    assert.deepEqual([holders(), (await suppressedIn(guild)).length], [0, 4]);
    await undoChangeSet(asAdmin(), id);
    await guild.write();
    await guild.resync();
    assert.deepEqual([holders(), await suppressedIn(guild)], [4, []]);
  });

  it('takes a grant back from a member who qualifies, and says that only the suppression keeps it away', async () => {
    const { guild, c } = await earnedTwice();
    const { items } = await handlePreviewUndo(asAdmin(), { communityId: guild.id, changeSetId: c });
    assert.deepEqual(
      items.map(({ action, outcome, qualifies, isSuppressed }) => [action, outcome, qualifies, isSuppressed]),
      [['revoke', 'revert', true, true]],
    );
    await undoChangeSet(asAdmin(), c);
    await guild.write();
    await guild.resync();
    assert.deepEqual([guild.rolesOf(0), await suppressedIn(guild)], [[], [guild.idOf(0)]]);
    await guild.resync([0], 'requested');
    assert.deepEqual(guild.rolesOf(0), ['gold'], 'until an admin starts a check');
  });

  it('leaves a pair to a later change set that is about to be written', async () => {
    const guild = await setUpGuild(t, { members: 1 });
    guild.hold(0, '1');
    await guild.resync();
    const granted = await newestOf(guild);
    t.host.interfere((write) => (write.communityId === guild.guildId ? { kind: 'failed', reason: 'busy' } : undefined));
    guild.hold(0, '0');
    await guild.resync([0], 'wallet');
    const taking = await newestOf(guild);
    t.host.interfere(undefined);
    const { items } = await previewUndo(asAdmin(), granted);
    assert.deepEqual(
      items.items.map(({ outcome, later_change_set_id, later_entry_id }) => [
        outcome,
        later_change_set_id,
        later_entry_id,
      ]),
      [['superseded', taking, null]],
    );
    await undoChangeSet(asAdmin(), granted);
    t.advanceSeconds(60);
    await guild.write();
    assert.deepEqual([guild.rolesOf(0), await suppressedIn(guild)], [[], []]);
  });

  it('a role that was changed back by hand needs no write, and is left alone like the others', async () => {
    const guild = await setUpGuild(t, { members: 2 });
    for (const member of [0, 1]) guild.hold(member, '1');
    await guild.resync();
    const granted = await newestOf(guild);
    t.advanceSeconds(600);
    t.host.addMember(guild.guildId, guild.nativeIdOf(0), []);
    await noteMember(t.services, 'discord', guild.guildId, guild.nativeIdOf(0), { kind: 'updated', roleIds: [] });
    const preview = await handlePreviewUndo(asAdmin(), { communityId: guild.id, changeSetId: granted });
    assert.deepEqual([preview.revokes, preview.members, preview.alreadyReverted], [1, 1, 1]);
    await undoChangeSet(asAdmin(), granted);
    await guild.write();
    await guild.resync();
    assert.deepEqual([guild.rolesOf(0), guild.rolesOf(1)], [[], []]);
    const [undo] = (await handleList(asAdmin(), { communityId: guild.id })).items.filter(
      ({ cause }) => cause === 'undo',
    );
    assert.deepEqual(
      [undo?.revokes, undo?.written, undo?.dropReasons],
      [2, { grants: 0, revokes: 1, members: 1 }, [{ reason: 'already-done', changes: 1 }]],
    );
  });

  it('restores the rule whose edit led to it, so that no later edit offers the same again', async () => {
    const guild = await setUpGuild(t, { members: 4, roles: () => ['gold'] });
    for (let member = 0; member < 4; member += 1) guild.hold(member, '5');
    await guild.resync();
    const wrong = await edit(guild, '100');
    assert.deepEqual(guild.rolesOf(0), []);
    const preview = await handlePreviewUndo(asAdmin(), { communityId: guild.id, changeSetId: wrong });
    assert.deepEqual(
      [preview.grants, preview.restoresRule, preview.rules.map(({ canRestore, action }) => [canRestore, action])],
      [4, true, [[true, 'changed']]],
    );
    assert.deepEqual(
      preview.items.map(({ qualifies, isSuppressed }) => [qualifies, isSuppressed]),
      Array.from({ length: 4 }, () => [true, false]),
      'by the restored rule all of them qualify, and nothing has to be suppressed',
    );
    const undo = await handleUndo(asAdmin(), { communityId: guild.id, changeSetId: wrong });
    assert.equal(undo.ruleChangeIds.length, 1, 'the undo names the rule change it made');
    await guild.check();
    await guild.write();
    assert.deepEqual([await thresholdOf(guild), guild.rolesOf(0), await suppressedIn(guild)], ['1', ['gold'], []]);
    await rewriteRule(t.as(operator), {
      id: guild.id,
      tpcId: ruleId,
      body: { ...erc20Rule('gold', '1'), name: 'A note' },
    });
    await guild.check();
    await guild.write();
    assert.deepEqual(guild.rolesOf(0), ['gold']);
    const { rows } = await t.services.db.pool.query(
      `select action from audit_entries where community_id = $1 and target = $2`,
      [guild.id, ruleId],
    );
    assert.deepEqual(rows, [{ action: 'rule.change' }]);
  });

  it('keeps a rule that was edited since, unless it is told to restore it', async () => {
    const guild = await setUpGuild(t, { members: 2 });
    for (const member of [0, 1]) guild.hold(member, '5');
    await guild.resync();
    const wrong = await edit(guild, '100');
    await edit(guild, '50');
    const named = { communityId: guild.id, changeSetId: wrong };
    const preview = await handlePreviewUndo(asAdmin(), named);
    assert.deepEqual([preview.restoresRule, preview.rules.length], [false, 1]);
    assert.match(preview.rules[0]?.laterRuleChangeId ?? '', /^\d+$/);
    assert.equal((await handlePreviewUndo(asAdmin(), { ...named, restoreRule: true })).restoresRule, true);
    const undo = await handleUndo(asAdmin(), named);
    await guild.write();
    assert.deepEqual([undo.ruleChangeIds, await thresholdOf(guild), guild.rolesOf(0)], [[], '50', ['gold']]);
    assert.equal((await suppressedIn(guild)).length, 2);
    const back = await handleUndo(asAdmin(), { communityId: guild.id, changeSetId: undo.id });
    await guild.write();
    assert.deepEqual(
      [back.revokes, guild.rolesOf(0), await suppressedIn(guild)],
      [2, [], []],
      'undoing it resumes checks',
    );
  });

  it('restores an edited or deleted rule on request, and refuses where there is no version before', async () => {
    const rules = [erc20Rule('gold', '1'), erc20Rule('gold', '100')];
    const guild = await setUpGuild(t, { members: 2, rules });
    for (const member of [0, 1]) guild.hold(member, '5');
    await guild.resync();
    await removeRule(t.as(operator), { id: guild.id, tpcId: ruleId });
    await guild.check();
    await guild.write();
    assert.deepEqual(guild.rolesOf(0), []);
    await handleUndo(asAdmin(), { communityId: guild.id, changeSetId: await newestOf(guild) });
    await guild.check();
    await guild.write();
    assert.deepEqual([await thresholdOf(guild), guild.rolesOf(0)], ['1', ['gold']]);

    const other = await setUpGuild(t, { members: 2, rules: [] });
    for (const member of [0, 1]) other.hold(member, '5');
    await insertNewRule(t.as(operator), { id: other.id, body: erc20Rule('gold', '1') });
    await other.check();
    await other.write();
    const named = { communityId: other.id, changeSetId: await newestOf(other) };
    const preview = await handlePreviewUndo(asAdmin(), named);
    assert.deepEqual(
      [preview.restoresRule, preview.rules[0]?.action, preview.rules[0]?.canRestore],
      [false, 'created', false],
    );
    await assert.rejects(handleUndo(asAdmin(), { ...named, body: { restoreRule: true } }), { code: 'STATE_CONFLICT' });
    await assert.rejects(handlePreviewUndo(asAdmin(), { ...named, restoreRule: true }), { code: 'STATE_CONFLICT' });
    assert.deepEqual(other.rolesOf(0), ['gold'], 'a refused undo changes nothing');
  });

  it('a change set whose changes were dropped says so, and there is nothing to undo', async () => {
    const guild = await setUpGuild(t, { members: 3, rules: [erc20Rule('gold', '100')] });
    for (const member of [0, 1, 2]) guild.hold(member, '5');
    await guild.resync();
    for (const least of ['1', '2']) {
      await rewriteRule(t.as(operator), { id: guild.id, tpcId: ruleId, body: erc20Rule('gold', least) });
      await guild.check();
    }
    await guild.write();
    const { items } = await handleList(asAdmin(), { communityId: guild.id });
    const of = (status: string) => items.find((changeSet) => changeSet.status === status);
    const [dropped, done] = [of('dropped'), of('done')];
    assert.deepEqual(
      [dropped?.grants, dropped?.written.grants, dropped?.dropped, dropped?.dropReasons],
      [3, 0, 3, [{ reason: 'rule-changed', changes: 3 }]],
    );
    assert.deepEqual([done?.written.grants, done?.dropped, guild.rolesOf(0)], [3, 0, ['gold']]);
    const named = { communityId: guild.id, changeSetId: dropped?.id ?? '' };
    await assert.rejects(handleUndo(asAdmin(), named), { code: 'STATE_CONFLICT', message: /changed no role/ });
    const shown = await handleGet(asAdmin(), named);
    assert.deepEqual(
      [shown.shares.map(({ written, waiting }) => [written, waiting]), shown.items[0]?.dropReason],
      [[[0, 0]], 'rule-changed'],
    );
  });

  it('an admin who decides second reads who was first, and when', async () => {
    const guild = await setUpGuild(t, { members: 20, roles: () => ['gold'] });
    await guild.resync();
    const [held] = (await listChangeSets(asAdmin(), guild.id)).items;
    const changeSetId = held?.id ?? '';
    // Both saw it held; one of them is first.
    const both = await Promise.allSettled([
      approveChangeSet(asAdmin(), changeSetId),
      approveChangeSet(t.as(operator), changeSetId),
    ]);
    const [lost] = both.flatMap((one) => (one.status === 'rejected' ? [String(one.reason.message)] : []));
    assert.match(lost ?? '', /this one is approved\. It was approved by (DIS#USER#1|the operator) at 20\d\d-.+Z\.$/);
    await assert.rejects(rejectChangeSet(asAdmin(), changeSetId), { message: /It was approved by/ });
  });

  it('a page of a preview is bounded and continues, with totals for all of it', async () => {
    const guild = await setUpGuild(t, { members: 5 });
    for (let member = 0; member < 5; member += 1) guild.hold(member, '1');
    await guild.resync();
    const request = { communityId: guild.id, changeSetId: await newestOf(guild), limit: 2 };
    const seen: string[] = [];
    for (let paginationToken: string | undefined, first = true; first || paginationToken; first = false) {
      const page = await handlePreviewUndo(asAdmin(), { ...request, paginationToken });
      assert.deepEqual([page.revokes, page.items.length <= 2], [5, true]);
      seen.push(...page.items.map(({ userId }) => userId));
      paginationToken = page.paginationToken;
    }
    assert.deepEqual(
      seen,
      [0, 1, 2, 3, 4].map((member) => guild.idOf(member)),
    );
  });
});
