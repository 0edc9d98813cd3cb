import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Actor } from '@latchkey/kernel';
import { newCommunity, newUser } from '../../../communities/community/testing.ts';
import { putMembers } from '../../../communities/memberships/index.ts';
import { auditOf, recordAudit } from '../../../services/audit/index.ts';
import { listWaiting } from '../../../surfaces/pending-items/operations.ts';
import { mallory, operator, type TestPlatform, testPlatform } from '../../../testing/index.ts';
import { handleApprove, handleGet, handlePreview } from '../review/operations.ts';
import { admin, erc20Rule, type Guild, setUpGuild } from '../testing/index.ts';
import { listMemberRolesAt, listMemberTimeline, memberHistoryOperations } from './member-history.ts';

describe('the history of a member', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('member-history');
  });
  after(() => t.close());

  /** The admin, just signed in. */
  const present = (): Actor => ({ ...admin, presence: { how: 'passkey', at: t.services.clock() } });

  /** One member, known by name, with a wallet that holds nothing yet. */
  async function settle(members = 1): Promise<Guild> {
    const rules = [
      { ...erc20Rule('gold'), name: 'Gold holders' },
      { ...erc20Rule('silver'), name: 'Silver holders' },
    ];
    const guild = await setUpGuild(t, { members, rules });
    const roles = [
      { id: 'gold', name: 'Gold' },
      { id: 'silver', name: 'Silver' },
    ];
    t.host.addCommunity(guild.guildId, roles);
    const seen = Array.from({ length: members }, (_, member) => ({
      userId: guild.idOf(member),
      userName: `cat${member}`,
      roleIds: [],
    }));
    for (let member = 0; member < members; member += 1) t.host.addMember(guild.guildId, guild.nativeIdOf(member), []);
    await putMembers(t.services.db.system, guild.id, seen, t.services.clock());
    t.advanceSeconds(60);
    return guild;
  }

  it('tells what was given and taken, by whom and why, newest first, in pages of any size', async () => {
    const guild = await settle();
    const member = { communityId: guild.guildId, userId: guild.nativeIdOf(0) };
    guild.hold(0, '1');
    await guild.resync();
    t.advanceSeconds(60);
    guild.hold(0, '0');
    const changeSet = await handlePreview(t.as(admin), { communityId: guild.id, body: { userIds: [guild.idOf(0)] } });
    await handleApprove(t.as(present()), { communityId: guild.id, changeSetId: changeSet.id });
    await guild.write();
    t.advanceSeconds(60);
    const report = auditOf(t.as(admin), 'roles.check', { subject: guild.idOf(0), communityId: guild.id });
    await recordAudit(t.services.db.system, report);

    const whole = (await listMemberTimeline(t.as(admin), member)).items;
    assert.deepEqual(
      whole.map(({ kind, text, by }) => [kind, text, by]),
      [
        ['action', 'A role check was started', '1'],
        ['role-taken', 'Lost the role Silver', '1'],
        ['role-taken', 'Lost the role Gold', '1'],
        ['role-given', 'Got the role Silver', undefined],
        ['role-given', 'Got the role Gold', undefined],
        ['wallet-linked', 'Linked a wallet (Ethereum)', undefined],
      ],
    );
    const lost = whole[2];
    assert.match(lost?.words.join(' ') ?? '', /The rule "Gold holders" needs at least 1 .* hold none\./);
    assert.deepEqual(
      lost?.lines.map(({ depth, outcome }) => [depth, outcome]),
      [
        [0, 'not-met'],
        [1, 'not-met'],
      ],
    );
    assert.equal(lost?.changeSetId, changeSet.id);
    assert.deepEqual(
      lost?.blocks?.map(({ chain }) => chain),
      ['evm:1'],
    );
    assert.ok(!JSON.stringify(whole).includes(guild.walletOf(0)), 'an admin sees no address');

    for (const limit of [1, 2, 4]) {
      const ids: string[] = [];
      let paginationToken: string | undefined;
      do {
        const page = await listMemberTimeline(t.as(admin), { ...member, limit, paginationToken });
        ids.push(...page.items.map(({ id }) => id));
        paginationToken = page.paginationToken;
      } while (paginationToken !== undefined);
      assert.deepEqual(
        ids,
        whole.map(({ id }) => id),
        `pages of ${limit}`,
      );
    }
  });

  it('tells the roles of any moment, and nothing of what it does not know', async () => {
    const guild = await settle();
    const question = { communityId: guild.id, userId: guild.idOf(0) };
    const before = t.services.clock().toISOString();
    t.advanceSeconds(60);
    guild.hold(0, '1');
    await guild.resync();
    const between = t.services.clock().toISOString();
    t.advanceSeconds(60);
    guild.hold(0, '0');
    await guild.resync([0], 'requested');
    const had = async (at?: string) =>
      (await listMemberRolesAt(t.as(admin), { ...question, ...(at !== undefined && { at }) })).roles.map((role) => [
        role.roleName,
        role.had,
      ]);
    assert.deepEqual(await had(before), []);
    assert.deepEqual(await had(between), [
      ['Gold', true],
      ['Silver', true],
    ]);
    assert.deepEqual(await had(), [
      ['Gold', false],
      ['Silver', false],
    ]);
    await assert.rejects(had('2016-12-31T23:59:60Z'), { code: 'INVALID_PARAMETER_VALUE' });
  });

  it('a change set says what it does role by role, and names roles in its note', async () => {
    const guild = await settle(12);
    for (let member = 0; member < 12; member += 1) guild.hold(member, '1');
    await guild.resync();
    t.advanceSeconds(60);
    for (let member = 0; member < 12; member += 1) guild.hold(member, '0');
    await guild.resync();
    await t.services.db.pool.query(
      'insert into community_admins (community_id, user_id, added_at) values ($1, $2, $3)',
      [guild.id, 'DIS#USER#1', t.services.clock()],
    );
    const waiting = (await listWaiting(t.as(admin))).items.filter(({ communityId }) => communityId === guild.id);
    assert.equal(waiting[0]?.kind, 'held-change-set');
    assert.equal(waiting[0]?.text, '24 role removals need your approval.');
    assert.equal(waiting[0]?.communityName, 'Test');
    const { changeSet, shares } = await handleGet(t.as(admin), {
      communityId: guild.id,
      changeSetId: waiting[0]?.id ?? '',
    });
    assert.match(changeSet.note ?? '', /12 of 12 members with the role Gold would lose it/);
    assert.deepEqual(
      shares.map(({ roleName, action, members, waiting: left }) => [roleName, action, members, left]),
      [
        ['Gold', 'revoke', 12, 12],
        ['Silver', 'revoke', 12, 12],
      ],
    );
    await handleApprove(t.as(present()), { communityId: guild.id, changeSetId: changeSet.id });
    const left = (await listWaiting(t.as(admin))).items.filter(({ communityId }) => communityId === guild.id);
    assert.deepEqual(left, []);
  });

  it('what waits is for those alone who look after a community, and the operator hears of applications', async () => {
    const { owner, id } = await newCommunity(t);
    const stop = { community_id: id, role_id: 'gold', user_id: '*', fault: 'above-bot' as const, is_on_trial: false };
    const advice = 'Move the bot’s role above Gold.';
    await t.services.db.system
      .insertInto('role_circuit_breakers')
      .values({ ...stop, advice, since: t.services.clock() })
      .execute();
    const { items, hasMore } = await listWaiting(t.as(owner));
    assert.deepEqual(
      [items.map(({ kind, text, communityName }) => [kind, text, communityName]), hasMore],
      [[['blocked-role', advice, 'Cats']], false],
    );
    for (const other of [newUser(), mallory]) assert.deepEqual((await listWaiting(t.as(other))).items, []);
    assert.ok((await listWaiting(t.as(operator))).items.every(({ kind }) => kind.startsWith('pending-')));
  });

  it('is for admins of the community', async () => {
    const guild = await settle();
    for (const { route, contract } of memberHistoryOperations)
      assert.equal(await contract.access.object?.admits(t.as(mallory), guild.id), false, route);
    const question = { communityId: guild.id, userId: guild.idOf(0) };
    for (const read of [listMemberTimeline, listMemberRolesAt])
      await assert.rejects(read(t.as(mallory), question), { code: 'ENTITY_NOT_FOUND' });
  });
});
