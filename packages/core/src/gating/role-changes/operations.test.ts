import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { mallory, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { changeSetsModule } from './index.ts';
import { listMemberRolesAt, listMemberTimeline } from './ledger/member-history.ts';
import { explainMember, explainRoleAt, listHolders, listLedger } from './ledger/operations.ts';
import { getRoleSteps } from './ledger/role-steps.ts';
import { commentOnChangeSet, deleteChangeSetComment, listChangeSetComments } from './review/comment-operations.ts';
import {
  getRoleCheckProgress,
  handleApprove,
  handleApproveGrants,
  handleGet,
  handleList,
  handlePreview,
  handlePreviewUndo,
  handleReject,
  handleRejectAndRestore,
  handleRetry,
  handleUndo,
  listBreakers,
  startRoleCheck,
} from './review/operations.ts';
import { summarizeReasons } from './review/reasons.ts';
import { getShadowMode, listShadowDifferences } from './shadow/reads.ts';
import { returnToShadow, startShadowMode, takeOverFromShadow } from './shadow/switch.ts';
import { admin, erc20Rule, type Guild, setUpGuild } from './testing/index.ts';

const notThere = { code: 'ENTITY_NOT_FOUND' };

describe('operations on the roles of a community', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('role-operations');
  });
  after(() => t.close());

  /** Members who all have the role, of whom the first `keeping` hold the token. Members and roles have names. */
  async function settle(members: number, keeping: number): Promise<Guild> {
    const rules = [{ ...erc20Rule('gold'), name: 'Gold holders' }];
    const guild = await setUpGuild(t, { members, rules, roles: () => ['gold'] });
    t.host.addCommunity(guild.guildId, [{ id: 'gold', name: 'Gold', position: 1 }]);
    for (let member = 0; member < members; member += 1) {
      t.host.addMember(guild.guildId, guild.nativeIdOf(member), ['gold']);
      if (member < keeping) guild.hold(member, '1');
    }
    await t.services.db.pool.query(
      `insert into community_members (community_id, user_id, user_name, role_ids, seen_at)
       select $1, u, 'Name of ' || u, '{gold}', $3 from unnest($2::text[]) as m (u)`,
      [guild.id, Array.from({ length: members }, (_, member) => guild.idOf(member)), t.services.clock()],
    );
    return guild;
  }
  const asAdmin = () => t.as(admin);

  it('preview, show, approve and undo a change set, with names beside ids', async () => {
    const guild = await settle(3, 2);
    const communityId = guild.guildId;
    const changeSet = await handlePreview(asAdmin(), {
      communityId,
      body: { userIds: [guild.nativeIdOf(2), guild.idOf(1)] },
    });
    assert.deepEqual(
      [changeSet.communityId, changeSet.status, changeSet.grants, changeSet.revokes, changeSet.members],
      [guild.id, 'previewed', 0, 1, 1],
    );
    const { items, changeSet: same } = await handleGet(asAdmin(), { communityId, changeSetId: changeSet.id });
    assert.deepEqual(same, changeSet);
    const [item] = items;
    assert.deepEqual(
      [item?.userId, item?.userName, item?.roleId, item?.roleName, item?.action, item?.state],
      [guild.idOf(2), `Name of ${guild.idOf(2)}`, 'gold', 'Gold', 'revoke', 'planned'],
    );
    assert.match(JSON.stringify(item?.reason), /"name":"Gold holders"/);
    assert.equal((await handleApprove(asAdmin(), { communityId, changeSetId: changeSet.id })).status, 'approved');
    await guild.write();
    assert.deepEqual(guild.rolesOf(2), []);
    const undo = await handleUndo(asAdmin(), { communityId, changeSetId: changeSet.id });
    assert.deepEqual([undo.undoes, undo.grants, undo.decidedBy], [changeSet.id, 1, 'DIS#USER#1']);
    await guild.write();
    assert.deepEqual(guild.rolesOf(2), ['gold']);
    const statuses = (await handleList(asAdmin(), { communityId })).items.map(({ status }) => status);
    assert.deepEqual(statuses.toSorted(), ['done', 'undone']);
    await assert.rejects(handleUndo(asAdmin(), { communityId, changeSetId: changeSet.id }), { code: 'STATE_CONFLICT' });
  });

  it('the ledger is paged and filtered, and shows who had a role at a time, by which change set and why', async () => {
    const guild = await settle(5, 5);
    const communityId = guild.id;
    const start = t.services.clock();
    t.advanceSeconds(60);
    for (const member of [0, 1, 2]) guild.hold(member, '0');
    await guild.resync();
    t.advanceSeconds(60);
    const between = t.services.clock().toISOString();
    t.advanceSeconds(60);
    for (const member of [0, 1]) guild.hold(member, '1');
    await guild.resync('*', 'requested');
    const pages: string[] = [];
    for (let paginationToken: string | undefined, first = true; first || paginationToken !== undefined; first = false) {
      const page = await listLedger(asAdmin(), { communityId, limit: 2, paginationToken });
      pages.push(...page.items.map(({ id, action }) => `${id} ${action}`));
      paginationToken = page.paginationToken;
    }
    const ids = pages.map((entry) => Number(entry.split(' ')[0]));
    assert.equal(new Set(ids).size, 5);
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => b - a),
    );
    const ofMember = await listLedger(asAdmin(), { communityId, userId: guild.nativeIdOf(0), roleId: 'gold' });
    assert.deepEqual(
      ofMember.items.map(({ action, userId, roleName }) => [action, userId, roleName]),
      [
        ['grant', guild.idOf(0), 'Gold'],
        ['revoke', guild.idOf(0), 'Gold'],
      ],
    );
    assert.deepEqual((await listLedger(asAdmin(), { communityId, roleId: 'silver' })).items, []);

    const question = { communityId, userId: guild.idOf(0), roleId: 'gold' };
    const then = await explainRoleAt(asAdmin(), { ...question, at: between });
    assert.deepEqual([then.had, then.entry?.action, then.entry?.id], [false, 'revoke', ofMember.items[1]?.id]);
    assert.equal((await explainRoleAt(asAdmin(), question)).had, true);
    const before = await explainRoleAt(asAdmin(), { ...question, at: start.toISOString() });
    assert.deepEqual([before.had, before.entry], [undefined, undefined], 'no ledger entry means unknown');
    const leapSecond = { ...question, at: '2016-12-31T23:59:60Z' };
    await assert.rejects(explainRoleAt(asAdmin(), leapSecond), { code: 'INVALID_PARAMETER_VALUE' });
  });

  it('holders without a time are those at the time of the first page, on every page', async () => {
    const guild = await setUpGuild(t, { members: 3 });
    for (const member of [0, 1, 2]) guild.hold(member, '1');
    await guild.resync();
    t.advanceSeconds(60);
    const request = { communityId: guild.id, roleId: 'gold', limit: 2 };
    const first = await listHolders(asAdmin(), request);
    assert.equal(first.items.length, 2);
    t.advanceSeconds(60);
    guild.hold(2, '0');
    await guild.resync();
    const { paginationToken } = first;
    const second = await listHolders(asAdmin(), { ...request, paginationToken });
    assert.deepEqual(
      [...first.items, ...second.items].map(({ userId }) => userId),
      [0, 1, 2].map(guild.idOf),
    );
    const now = await listHolders(asAdmin(), { ...request, limit: 100 });
    assert.deepEqual(
      now.items.map(({ userId }) => userId),
      [0, 1].map(guild.idOf),
    );
    const at = t.services.clock().toISOString();
    await assert.rejects(listHolders(asAdmin(), { ...request, at, paginationToken }), {
      code: 'INVALID_PAGINATION_TOKEN',
    });
  });

  it('shows what each rule says about a member now, and shows wallets only to the member and the operator', async () => {
    const guild = await settle(2, 1);
    const request = (member: number) => ({ communityId: guild.id, userId: guild.idOf(member) });
    const kept = await explainMember(asAdmin(), request(0));
    assert.deepEqual(
      kept.roles.map(({ roleId, roleName, has, qualifies, isSuppressed }) => [
        roleId,
        roleName,
        has,
        qualifies,
        isSuppressed,
      ]),
      [['gold', 'Gold', true, true, false]],
    );
    const hides = (answer: object) => !JSON.stringify(answer).toLowerCase().includes(guild.walletOf(0));
    assert.ok(hides(kept));
    assert.match(JSON.stringify(kept), /"wallet":"evm"/);
    assert.ok(!hides(await explainMember(t.as(operator), request(0))));
    assert.equal((await explainMember(asAdmin(), request(1))).roles[0]?.qualifies, false);
    t.holdings.fail('evm:1', 'The node is down.');
    assert.equal((await explainMember(asAdmin(), request(0))).roles[0]?.qualifies, undefined, 'unknown is not false');
    t.holdings.fail('evm:1', undefined);
    await assert.rejects(explainMember(asAdmin(), { communityId: guild.id, userId: '404404' }), notThere);
  });

  it('shows what a rejected change set suppressed, until a check is started', async () => {
    const guild = await settle(30, 10);
    const communityId = guild.id;
    await guild.resync();
    const [held] = (await handleList(asAdmin(), { communityId })).items;
    assert.equal(held?.status, 'held');
    const idsOf = async (status: 'held' | 'rejected') =>
      (await handleList(asAdmin(), { communityId, status })).items.map(({ id }) => id);
    assert.deepEqual([await idsOf('held'), await idsOf('rejected')], [[held?.id], []]);
    await handleReject(asAdmin(), { communityId, changeSetId: held?.id ?? '' });
    const suppressedOf = async () =>
      (await explainMember(asAdmin(), { communityId, userId: guild.idOf(29) })).roles.map(
        ({ isSuppressed }) => isSuppressed,
      );
    assert.deepEqual([await idsOf('held'), await idsOf('rejected')], [[], [held?.id]]);
    assert.deepEqual(await suppressedOf(), [true]);
    const started = await startRoleCheck(asAdmin(), { communityId, body: { userIds: [guild.nativeIdOf(29)] } });
    assert.deepEqual(started, { communityId, userIds: [guild.idOf(29)] });
    await guild.check();
    assert.deepEqual(await suppressedOf(), [false]);
    assert.deepEqual(await startRoleCheck(asAdmin(), { communityId, body: undefined }), { communityId });
  });

  it('lists what is blocked with the name of its role', async () => {
    const guild = await settle(1, 0);
    t.host.interfere((write) =>
      write.communityId === guild.guildId
        ? { kind: 'forbidden', advice: 'Move the bot’s role above it.', roleId: 'gold' }
        : undefined,
    );
    await guild.resync();
    t.host.interfere(undefined);
    const [stop] = await listBreakers(asAdmin(), { communityId: guild.id });
    assert.deepEqual([stop?.roleId, stop?.roleName], ['gold', 'Gold']);
    assert.match(stop?.advice ?? '', /above it/);
  });

  it('a platform that does not respond leaves out the names of roles, and nothing else', async () => {
    const guild = await settle(2, 1);
    await guild.resync();
    t.host.fail('Discord is down.');
    const { items } = await listLedger(asAdmin(), { communityId: guild.id });
    const [entry] = items;
    assert.deepEqual([entry?.roleId, entry?.roleName, entry?.action], ['gold', undefined, 'revoke']);
    const request = { communityId: guild.id, userId: guild.idOf(0) };
    await assert.rejects(explainMember(asAdmin(), request), { code: 'UNAVAILABLE' });
    t.host.fail(undefined);
    const without = { ...asAdmin(), hosts: {} };
    await assert.rejects(explainMember(without, request), { code: 'NOT_CONFIGURED' });
  });

  it('a check shows how many members are still waiting, until none are', async () => {
    const guild = await settle(3, 3);
    const progress = (userId?: string) =>
      getRoleCheckProgress(asAdmin(), { communityId: guild.id, ...(userId !== undefined && { userId }) });
    assert.deepEqual(await progress(), { isListing: false, waiting: 0, postponed: 0 });
    await startRoleCheck(asAdmin(), { communityId: guild.id, body: { userIds: [guild.idOf(0), guild.idOf(1)] } });
    assert.deepEqual(await progress(), { isListing: false, waiting: 2, postponed: 0 });
    assert.equal((await progress(guild.nativeIdOf(0))).waiting, 1);
    assert.equal((await progress(guild.nativeIdOf(2))).waiting, 0);
    await startRoleCheck(asAdmin(), { communityId: guild.id, body: undefined });
    assert.equal((await progress(guild.nativeIdOf(2))).isListing, true);
    await guild.check();
    assert.deepEqual(await progress(), { isListing: false, waiting: 0, postponed: 0 });
  });

  it('nothing of it is found by non-admins, or under the id of another community', async () => {
    const [guild, other] = [await settle(1, 0), await settle(1, 0)];
    await guild.resync();
    const [changeSet] = (await handleList(asAdmin(), { communityId: guild.id })).items;
    const named = { communityId: guild.id, changeSetId: changeSet?.id ?? '', userId: guild.idOf(0), roleId: 'gold' };
    const everything = [
      handleList,
      handleGet,
      handleApprove,
      handleApproveGrants,
      handleReject,
      handleRejectAndRestore,
      handleRetry,
      handlePreviewUndo,
      handleUndo,
      summarizeReasons,
      listChangeSetComments,
      listBreakers,
      listLedger,
      listHolders,
      explainRoleAt,
      explainMember,
      getRoleCheckProgress,
      listMemberRolesAt,
      listMemberTimeline,
      getRoleSteps,
      getShadowMode,
      listShadowDifferences,
      startShadowMode,
      takeOverFromShadow,
      returnToShadow,
    ];
    for (const verb of everything) await assert.rejects(verb(t.as(mallory), named), notThere, verb.name);
    for (const verb of [handlePreview, startRoleCheck])
      await assert.rejects(verb(t.as(mallory), { communityId: guild.id, body: undefined }), notThere, verb.name);
    const comment = { ...named, commentId: 'x', body: { text: 'x' } };
    for (const verb of [commentOnChangeSet, deleteChangeSetComment])
      await assert.rejects(verb(t.as(mallory), comment), notThere, verb.name);
    assert.equal(everything.length + 4, changeSetsModule.resources[0].operations.length);
    const ofOne = [handleGet, handleApprove, handleReject, handleRetry, handlePreviewUndo, handleUndo];
    const decisions = [handleApproveGrants, handleRejectAndRestore, summarizeReasons, listChangeSetComments];
    for (const verb of [...ofOne, ...decisions])
      await assert.rejects(verb(asAdmin(), { ...named, communityId: other.id }), notThere, verb.name);
  });
});
