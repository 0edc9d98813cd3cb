import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import { mallory, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { removeRule, replaceRule } from '../community-rules/index.ts';
import { resumeCommunity, resumeRole } from './applying/resume-role.ts';
import { rejectChangeSet, retryChangeSet } from './review/decide.ts';
import { getChangeSet, listBlockedRoles, listChangeSets } from './review/reads.ts';
import { admin, erc20Rule, type Guild, setUpGuild } from './testing/index.ts';

const missing = { fault: 'missing', advice: 'The role is not in the server.' } as const;

describe('a refusal stops only itself', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('isolation');
  });
  after(() => t.close());

  async function settle(members: number, roles: readonly string[]): Promise<Guild> {
    const guild = await setUpGuild(t, { members, rules: roles.map((role) => erc20Rule(role)) });
    for (let member = 0; member < members; member += 1) guild.hold(member, '1');
    return guild;
  }
  const breakersOf = async (guild: Guild) =>
    (await listBlockedRoles(t.as(admin), guild.id)).map(({ roleId, userId, fault }) => [roleId, userId, fault]);
  const changeSetsOf = async (guild: Guild) => (await listChangeSets(t.as(admin), guild.id)).items;
  const rolesOf = (guild: Guild, member: number) => guild.rolesOf(member)?.toSorted();

  it('one rule with a missing role keeps no other role from being granted or removed, and its breaker is closed with the rule', async () => {
    const guild = await settle(29, ['gold', 'silver']);
    const add = ['missing-role', 'fault-unnamed'] as const;
    for (const roleId of add) {
      await t.services.db.pool.query(
        `insert into community_rules (id, community_id, role_id, definition, created_at, updated_at)
         values ('TPC#' || $2, $1, $2, $3, now(), now())`,
        [guild.id, roleId, erc20Rule(roleId)],
      );
    }
    t.host.breakRole(guild.guildId, 'missing-role', missing);
    t.host.breakRole(guild.guildId, 'fault-unnamed', { advice: 'Unknown Role' });
    await guild.resync();
    for (let member = 0; member < 29; member += 1) assert.deepEqual(rolesOf(guild, member), ['gold', 'silver']);
    assert.deepEqual(await breakersOf(guild), [
      ['fault-unnamed', undefined, 'refused'],
      ['missing-role', undefined, 'missing'],
    ]);

    await t.services.db.pool.query('delete from wallet_connections where user_id = $1', [guild.idOf(3)]);
    await guild.resync([3], 'wallet');
    assert.deepEqual(rolesOf(guild, 3), [], 'a member who unlinked all wallets keeps nothing');

    for (const roleId of add) await removeRule(t.as(operator), { id: guild.id, tpcId: `TPC#${roleId}` });
    await guild.check();
    await guild.write();
    assert.deepEqual(await breakersOf(guild), [], 'the breakers do not outlive the rules');
    for (const { status } of await changeSetsOf(guild)) assert.equal(status, 'done');
  });

  it('a member with several changes of which one is bad gets the others at once, whether it is named or not', async () => {
    for (const refusal of [{ advice: 'No.', roleId: 'c' }, { advice: 'No.' }]) {
      const guild = await settle(1, ['a', 'b', 'c', 'd', 'e']);
      t.host.breakRole(guild.guildId, 'c', refusal);
      await guild.resync();
      assert.deepEqual(rolesOf(guild, 0), ['a', 'b', 'd', 'e']);
      const isNamed = 'roleId' in refusal;
      assert.deepEqual(await breakersOf(guild), [['c', isNamed ? undefined : guild.idOf(0), 'refused']]);
      assert.ok(guild.writes().length <= (isNamed ? 2 : 1 + 2 * 3), `${guild.writes().length} calls`);
    }
  });

  it('a role that is named is tried once for all members, one that is not at most for a few', async () => {
    for (const [refusal, most] of [
      [{ advice: 'No.', roleId: 'bad' }, t.host.writesAtOnce],
      [{ advice: 'No.' }, t.host.writesAtOnce + 3 * 3],
    ] as const) {
      const guild = await settle(40, ['bad', 'good', 'other']);
      t.host.breakRole(guild.guildId, 'bad', refusal);
      await guild.resync();
      for (let member = 0; member < 40; member += 1) assert.deepEqual(rolesOf(guild, member), ['good', 'other']);
      const tried = guild.writes().filter(({ add }) => add.includes('bad')).length;
      assert.ok(tried <= most, `${tried} tries`);
      assert.deepEqual(await breakersOf(guild), [['bad', undefined, 'refused']]);
    }
  });

  it('a refusal of one member’s change stops neither the role nor the member', async () => {
    const guild = await settle(6, ['a', 'b']);
    t.host.interfere(({ communityId, userId, add }) =>
      communityId === guild.guildId && userId === guild.nativeIdOf(2) && add.includes('a')
        ? { kind: 'forbidden', scope: 'change', roleId: 'a', advice: 'Not for this one.' }
        : undefined,
    );
    await guild.resync();
    t.host.interfere(undefined);
    assert.deepEqual(
      [0, 1, 2, 3, 4, 5].map((member) => rolesOf(guild, member)?.join()),
      ['a,b', 'a,b', 'b', 'a,b', 'a,b', 'a,b'],
    );
    assert.deepEqual(await breakersOf(guild), [['a', guild.idOf(2), 'refused']]);
    await guild.resync();
    assert.deepEqual(rolesOf(guild, 2), ['a', 'b'], 'the next resync tries it again');
    assert.deepEqual(await breakersOf(guild), []);
  });

  it('a refusal of a member stops that member, and one of the community everything', async () => {
    const guild = await settle(6, ['a', 'b']);
    t.host.interfere(({ communityId, userId }) =>
      communityId === guild.guildId && userId === guild.nativeIdOf(2)
        ? { kind: 'forbidden', scope: 'member', advice: 'Out of reach.' }
        : undefined,
    );
    await guild.resync();
    assert.deepEqual([rolesOf(guild, 2), rolesOf(guild, 3)], [[], ['a', 'b']]);
    assert.deepEqual(await breakersOf(guild), [[undefined, guild.idOf(2), 'refused']]);
    const closed = await settle(30, ['a', 'b']);
    t.host.interfere(({ communityId }) =>
      communityId === closed.guildId ? { kind: 'forbidden', scope: 'community', advice: 'No permission.' } : undefined,
    );
    await closed.resync();
    assert.ok(closed.writes().length <= t.host.writesAtOnce);
    assert.deepEqual(await breakersOf(closed), [[undefined, undefined, 'refused']]);
    t.host.interfere(undefined);
    await resumeCommunity(t.services, closed.id);
    await closed.write();
    assert.deepEqual([rolesOf(closed, 29), await breakersOf(closed)], [['a', 'b'], []]);
  });

  it('is found before it is tried, even where nothing is pending, ends when its cause is fixed, and shows since when it applies', async () => {
    const guild = await settle(2, ['a', 'b']);
    await guild.resync();
    assert.deepEqual(rolesOf(guild, 1), ['a', 'b']);
    t.host.breakRole(guild.guildId, 'b', { ...missing, roleId: 'b' });
    await resumeRole(t.services, guild.id, 'b');
    await guild.write();
    const [stop] = await listBlockedRoles(t.as(admin), guild.id);
    assert.deepEqual([stop?.roleId, stop?.fault], ['b', 'missing']);
    t.advanceSeconds(3600);
    await guild.resync();
    const [later] = await listBlockedRoles(t.as(admin), guild.id);
    assert.deepEqual(later?.since, stop?.since, 'a retry does not reset it');
    t.host.breakRole(guild.guildId, 'b', undefined);
    await resumeRole(t.services, guild.id, 'b');
    await guild.write();
    assert.deepEqual(await breakersOf(guild), []);
  });

  it('what is pending for a rule is dropped when the rule is changed, and is decided again', async () => {
    const guild = await settle(3, ['a', 'b']);
    t.host.breakRole(guild.guildId, 'b', { advice: 'No.', roleId: 'b' });
    await guild.resync();
    assert.deepEqual(
      (await changeSetsOf(guild)).map(({ status }) => status),
      ['failed'],
    );
    await replaceRule(t.as(operator), { id: guild.id, tpcId: 'TPC#2', body: erc20Rule('b', '5') });
    await guild.check();
    await guild.write();
    assert.deepEqual(
      (await changeSetsOf(guild)).map(({ status }) => status),
      ['done'],
    );
    t.host.breakRole(guild.guildId, 'b', undefined);
    guild.hold(1, '5');
    await guild.resync();
    assert.deepEqual(
      [0, 1, 2].map((member) => rolesOf(guild, member)?.join()),
      ['a', 'a,b', 'a'],
    );
  });

  it('a pending change of a role that no rule names is not written, even if no member was checked since', async () => {
    const guild = await settle(2, ['a', 'b']);
    await enqueueReconcile(t.services.db.system, { communityId: guild.id, members: '*', cause: 'schedule' });
    await guild.check();
    await t.services.db.pool.query(`delete from community_rules where community_id = $1 and role_id = 'b'`, [guild.id]);
    await guild.write();
    assert.deepEqual(
      [0, 1].map((member) => rolesOf(guild, member)?.join()),
      ['a', 'a'],
    );
    assert.deepEqual(
      (await changeSetsOf(guild)).map(({ status }) => status),
      ['done'],
    );
  });

  describe('a failed change set', () => {
    async function failed(refuse: 'forbidden' | 'failed') {
      const guild = await settle(3, ['a', 'b']);
      t.host.interfere(({ communityId, add }) => {
        if (communityId !== guild.guildId || !add.includes('b')) return undefined;
        return refuse === 'failed'
          ? { kind: 'failed', reason: 'Internal server error.' }
          : { kind: 'forbidden', advice: 'Move the role.', roleId: 'b' };
      });
      await guild.resync();
      for (let round = 0; round < 10 && refuse === 'failed'; round += 1) {
        t.advanceSeconds(601);
        await guild.write();
      }
      t.host.interfere(undefined);
      const [changeSet] = await changeSetsOf(guild);
      assert.equal(changeSet?.status, 'failed');
      return { guild, changeSetId: changeSet?.id ?? '' };
    }

    it('is retried: what was refused, and what failed and is still wanted', async () => {
      for (const refuse of ['forbidden', 'failed'] as const) {
        const { guild, changeSetId } = await failed(refuse);
        guild.hold(1, '0');
        if (refuse === 'forbidden') await guild.resync([1], 'wallet');
        await retryChangeSet(t.as(admin), changeSetId);
        await guild.write();
        assert.deepEqual(rolesOf(guild, 0), ['a', 'b'], refuse);
        assert.ok(!rolesOf(guild, 1)?.includes('b'), 'a role that the member no longer qualifies for is not granted');
        assert.deepEqual(await breakersOf(guild), []);
        assert.equal((await getChangeSet(t.as(admin), changeSetId)).changeSet.status, 'done');
        await assert.rejects(retryChangeSet(t.as(admin), changeSetId), { code: 'STATE_CONFLICT' });
      }
    });

    it('fails again while its cause is there, and keeps saying why', async () => {
      const { guild, changeSetId } = await failed('forbidden');
      t.host.breakRole(guild.guildId, 'b', { advice: 'Move the role.', roleId: 'b' });
      await retryChangeSet(t.as(admin), changeSetId);
      await guild.write();
      const { changeSet } = await getChangeSet(t.as(admin), changeSetId);
      assert.deepEqual([changeSet.status, changeSet.note], ['failed', 'Move the role.']);
    });

    it('is rejected, and later resyncs leave its members alone', async () => {
      const { guild, changeSetId } = await failed('forbidden');
      await rejectChangeSet(t.as(admin), changeSetId);
      assert.equal((await getChangeSet(t.as(admin), changeSetId)).changeSet.status, 'rejected');
      await guild.resync();
      assert.deepEqual(rolesOf(guild, 0), ['a']);
      await guild.resync([0], 'requested');
      assert.deepEqual(rolesOf(guild, 0), ['a', 'b'], 'until an admin starts a check');
    });

    it('can be retried only by an admin of the community', async () => {
      const { changeSetId } = await failed('forbidden');
      await assert.rejects(retryChangeSet(t.as(mallory), changeSetId), { code: 'ENTITY_NOT_FOUND' });
      await assert.rejects(retryChangeSet(t.as(admin), 'none'), { code: 'ENTITY_NOT_FOUND' });
    });
  });
});
