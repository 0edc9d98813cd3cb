import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { mallory, operator, type TestPlatform, testPlatform } from '../../../testing/index.ts';
import { setApprovalPolicy } from '../../approval-policies/operations.ts';
import { removeRuleWithChoice, rewriteRule } from '../../community-rules/index.ts';
import { admin, erc20Rule, type Guild, setUpGuild } from '../testing/index.ts';
import { commentOnChangeSet, deleteChangeSetComment, listChangeSetComments } from './comment-operations.ts';
import { approveChangeSet, rejectAndRestore } from './decide.ts';
import { handleApproveGrants, handleGet, handleRejectAndRestore } from './operations.ts';
import { getChangeSet, listChangeSets } from './reads.ts';
import { summarizeReasons } from './reasons.ts';

const ruleId = 'TPC#1';

describe('decisions about a change set', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('decisions');
  });
  after(() => t.close());

  const asAdmin = () => t.as(admin);
  const heldIn = async (guild: Guild) => {
    const { items } = await listChangeSets(asAdmin(), guild.id, { status: 'held' });
    assert.equal(items.length, 1);
    return { communityId: guild.id, changeSetId: items[0]?.id ?? '' };
  };
  const holders = (guild: Guild, members: number) =>
    Array.from({ length: members }, (_, member) => guild.rolesOf(member)).filter((roles) => roles?.includes('gold'))
      .length;
  const suppressedIn = async (guild: Guild) => {
    const { rows } = await t.services.db.pool.query('select user_id from role_suppressions where community_id = $1', [
      guild.id,
    ]);
    return rows.length;
  };
  const thresholdOf = async (guild: Guild) => {
    const { rows } = await t.services.db.pool.query(
      `select definition ->> 'minToken' as least from community_rules where community_id = $1 and id = $2`,
      [guild.id, ruleId],
    );
    return rows[0]?.least;
  };

  /** Two members who gain the role and twelve who lose it, all waiting for an admin. */
  async function mixed(approvers = 1): Promise<Guild> {
    const guild = await setUpGuild(t, { members: 14, roles: (member) => (member < 2 ? [] : ['gold']) });
    for (const member of [0, 1]) guild.hold(member, '1');
    const roles = [{ roleId: 'gold', approvesGrants: true }];
    await setApprovalPolicy(t.as(operator), { communityId: guild.id, body: { approvers, roles } });
    await guild.resync();
    return guild;
  }

  /** Fifteen members with the role, and a rule that now needs more than any of them holds: the removals are held. */
  async function edited(): Promise<Guild> {
    const guild = await setUpGuild(t, { members: 15, roles: () => ['gold'] });
    for (let member = 0; member < 15; member += 1) guild.hold(member, String(123 * (member + 1)));
    await guild.resync();
    await rewriteRule(t.as(operator), { id: guild.id, tpcId: ruleId, body: erc20Rule('gold', '1000000') });
    await guild.check();
    await guild.write();
    return guild;
  }

  describe('approving only the grants', () => {
    it('gives the roles, drops the removals with a reason, and later checks leave those members alone', async () => {
      const guild = await mixed();
      const named = await heldIn(guild);
      const shown = await handleApproveGrants(asAdmin(), named);
      assert.deepEqual(
        [shown.status, shown.decidedBy, shown.dropReasons],
        ['approved', admin.userId, [{ reason: 'removal-rejected', changes: 12 }]],
      );
      await guild.write();
      const { changeSet } = await getChangeSet(asAdmin(), named.changeSetId);
      assert.deepEqual([changeSet.status, changeSet.written_grants, changeSet.written_revokes], ['done', 2, 0]);
      assert.deepEqual([holders(guild, 14), await suppressedIn(guild)], [14, 12]);
      await guild.resync();
      assert.equal((await listChangeSets(asAdmin(), guild.id)).items.length, 1, 'the removals are not proposed again');
      await guild.resync('*', 'requested');
      assert.equal((await listChangeSets(asAdmin(), guild.id, { status: 'held' })).items[0]?.revokes, 12);
    });

    it('with two approvers the removals are rejected at once and the grants wait for the second admin', async () => {
      const guild = await mixed(2);
      const named = await heldIn(guild);
      await handleApproveGrants(asAdmin(), named);
      await guild.write();
      const { changeSet, approvals } = await handleGet(asAdmin(), named);
      assert.deepEqual([changeSet.status, approvals.length, changeSet.dropped], ['held', 1, 12]);
      assert.deepEqual([guild.rolesOf(0), await suppressedIn(guild)], [[], 12]);
      await approveChangeSet(t.as(operator), named.changeSetId);
      await guild.write();
      assert.equal(holders(guild, 14), 14);
    });

    it('an admin who approved all of it can still reject the removals', async () => {
      const guild = await mixed(2);
      const named = await heldIn(guild);
      await approveChangeSet(asAdmin(), named.changeSetId);
      assert.equal((await handleApproveGrants(asAdmin(), named)).dropped, 12);
      await assert.rejects(handleApproveGrants(asAdmin(), named), /already approved these role changes/);
      await handleApproveGrants(t.as(operator), named);
      await guild.write();
      assert.equal(holders(guild, 14), 14);
    });

    it('is refused where no role would be given, after a decision, and for strangers', async () => {
      const guild = await edited();
      const named = await heldIn(guild);
      await assert.rejects(handleApproveGrants(asAdmin(), named), /gives no role/);
      await assert.rejects(handleApproveGrants(t.as(mallory), named), { code: 'ENTITY_NOT_FOUND' });
      assert.equal((await getChangeSet(asAdmin(), named.changeSetId)).changeSet.status, 'held');
      const other = await mixed();
      const decided = await heldIn(other);
      await handleApproveGrants(asAdmin(), decided);
      await assert.rejects(handleApproveGrants(asAdmin(), decided), /It was approved by/);
    });
  });

  describe('rejecting and restoring the rule', () => {
    it('keeps the roles and brings back the version before, without pausing members whom the rule decides about', async () => {
      const guild = await edited();
      const named = await heldIn(guild);
      assert.deepEqual([await thresholdOf(guild), holders(guild, 15)], ['1000000', 15]);
      const { rules } = await handleGet(asAdmin(), named);
      assert.deepEqual(rules, [{ ruleId, ruleName: undefined, canRestore: true }]);
      const shown = await handleRejectAndRestore(asAdmin(), named);
      assert.deepEqual(
        [shown.status, shown.decidedBy, shown.restoredRuleChangeIds.length, shown.dropped],
        ['rejected', admin.userId, 1, 15],
      );
      await guild.check();
      await guild.write();
      assert.deepEqual([await thresholdOf(guild), holders(guild, 15), await suppressedIn(guild)], ['1', 15, 0]);
      assert.equal((await listChangeSets(asAdmin(), guild.id, { status: 'held' })).items.length, 0);
      guild.hold(3, '0');
      await guild.resync();
      assert.deepEqual([guild.rolesOf(3), holders(guild, 15)], [[], 14], 'the restored rule still decides');
      const { rows } = await t.services.db.pool.query('select action from audit_entries where community_id = $1', [
        guild.id,
      ]);
      assert.deepEqual(
        rows.map(({ action }) => action),
        ['rule.change'],
      );
    });

    it('brings back a rule that was deleted with its roles', async () => {
      const guild = await setUpGuild(t, { members: 15 });
      for (let member = 0; member < 15; member += 1) guild.hold(member, '1');
      await guild.resync();
      await removeRuleWithChoice(t.as(operator), { id: guild.id, ruleId, roles: 'take' });
      await guild.check();
      await handleRejectAndRestore(asAdmin(), await heldIn(guild));
      await guild.check();
      await guild.write();
      assert.deepEqual([await thresholdOf(guild), holders(guild, 15)], ['1', 15]);
    });

    it('is refused as a whole where no rule change led to it, after a decision, and for strangers', async () => {
      const guild = await setUpGuild(t, { members: 12, roles: () => ['gold'] });
      await guild.resync();
      const named = await heldIn(guild);
      assert.deepEqual((await handleGet(asAdmin(), named)).rules, []);
      await assert.rejects(handleRejectAndRestore(asAdmin(), named), /No earlier version of a rule/);
      await assert.rejects(handleRejectAndRestore(t.as(mallory), named), { code: 'ENTITY_NOT_FOUND' });
      const { changeSet } = await getChangeSet(asAdmin(), named.changeSetId);
      assert.deepEqual([changeSet.status, changeSet.decided_by], ['held', null]);
      const other = await edited();
      const decided = await heldIn(other);
      await Promise.all([0, 1].map(() => rejectAndRestore(asAdmin(), decided.changeSetId).catch(() => undefined)));
      await assert.rejects(handleRejectAndRestore(asAdmin(), decided), /It was rejected by/);
      const { rows } = await t.services.db.pool.query('select 1 from community_rule_changes where community_id = $1', [
        other.id,
      ]);
      assert.equal(rows.length, 2, 'two admins at once restore it once');
    });
  });

  it('reasons are grouped with what is needed and what members have, and no exact balance is shown', async () => {
    const guild = await edited();
    const named = await heldIn(guild);
    const { groups, changes, isWhole, otherGroups } = await summarizeReasons(asAdmin(), named);
    assert.deepEqual([changes, isWhole, otherGroups, groups.length], [15, true, 0, 1]);
    const [group] = groups;
    assert.deepEqual([group?.action, group?.members], ['revoke', 15]);
    assert.match(group?.why ?? '', /^needs at least 1,000,000 /);
    assert.equal(group?.conditions.length, 1);
    assert.match(group?.conditions[0]?.found[0] ?? '', /^15 members hold 120–1,800 .*; 1,000,000 needed\.$/);
    await assert.rejects(summarizeReasons(t.as(mallory), named), { code: 'ENTITY_NOT_FOUND' });
    await handleRejectAndRestore(asAdmin(), named);
    assert.equal((await summarizeReasons(asAdmin(), named)).changes, 15, 'of a rejected one, what was planned');
  });

  describe('comments', () => {
    const write = (named: { communityId: string; changeSetId: string }, text: string, as = asAdmin()) =>
      commentOnChangeSet(as, { ...named, body: { text } });

    /** A held change set of a community whose admin is listed as such. */
    async function commented() {
      const guild = await edited();
      await t.services.db.pool.query(
        `insert into community_admins (community_id, user_id, added_at, confirmed_at, ask_at) values ($1, $2, $3, $3, $3)`,
        [guild.id, admin.userId, t.services.clock()],
      );
      return heldIn(guild);
    }

    it('are listed page by page with their author and time, the oldest first, and deleted by their author', async () => {
      const named = await commented();
      const first = await write(named, '  Is this intended?\n<b>Please</b> ask.  ');
      t.advanceSeconds(60);
      await write(named, 'Yes.', t.as(operator));
      assert.deepEqual([first.text, first.userId], ['Is this intended?\n<b>Please</b> ask.', admin.userId]);
      const page = await listChangeSetComments(asAdmin(), { ...named, limit: 1 });
      assert.deepEqual(page.items, [first]);
      const { paginationToken } = page;
      const rest = await listChangeSetComments(asAdmin(), { ...named, limit: 1, paginationToken });
      assert.deepEqual(
        rest.items.map(({ text }) => text),
        ['Yes.'],
      );
      const ofOperator = { ...named, commentId: rest.items[0]?.id ?? '' };
      await assert.rejects(deleteChangeSetComment(asAdmin(), ofOperator), { code: 'ROLE_NOT_ALLOWED' });
      await deleteChangeSetComment(asAdmin(), { ...named, commentId: first.id });
      await deleteChangeSetComment(t.as(operator), ofOperator);
      assert.deepEqual((await listChangeSetComments(asAdmin(), named)).items, []);
      await assert.rejects(deleteChangeSetComment(asAdmin(), ofOperator), { code: 'ENTITY_NOT_FOUND' });
    });

    it('are refused when they are blank, too many, or of strangers, who see none', async () => {
      const named = await commented();
      await assert.rejects(write(named, ' \n '), { code: 'VALIDATION_FAILED' });
      await write(named, 'Mine');
      await assert.rejects(write(named, 'Theirs', t.as(mallory)), { code: 'ENTITY_NOT_FOUND' });
      await assert.rejects(listChangeSetComments(t.as(mallory), named), { code: 'ENTITY_NOT_FOUND' });
      const rows = await t.as(mallory).tx((tx) => tx.selectFrom('change_set_comments').selectAll().execute());
      assert.deepEqual(rows, []);
      await t.services.db.pool.query(
        `insert into change_set_comments (id, change_set_id, community_id, author, body, created_at)
         select 'comment-' || n, $1, $2, $3, 'More', now() from generate_series(2, 200) as n`,
        [named.changeSetId, named.communityId, admin.userId],
      );
      await assert.rejects(write(named, 'One too many'), { code: 'STATE_CONFLICT' });
      await t.services.db.pool.query('delete from change_sets where id = $1', [named.changeSetId]);
      const left = await t.services.db.pool.query('select 1 from change_set_comments where community_id = $1', [
        named.communityId,
      ]);
      assert.equal(left.rows.length, 0, 'they go with their change set');
    });
  });
});
