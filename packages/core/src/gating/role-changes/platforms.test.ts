import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { noteMember } from '../../communities/members/index.ts';
import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import { PlatformFailed } from '../../ports/index.ts';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { reconcileNow } from './planning/preview.ts';
import { listChangeSets } from './review/reads.ts';
import { admin, erc20Rule, type Guild, setUpGuild } from './testing/index.ts';

/** What some platforms cannot do, and how roles are still granted and removed there. */
describe('roles on platforms with special behavior', () => {
  let t: TestPlatform;
  let usual: Partial<TestPlatform['host']>;
  before(async () => {
    t = await testPlatform('platforms');
    usual = { ...t.host };
  });
  afterEach(() => {
    delete t.host.settle;
    delete t.host.listsEveryone;
    Object.assign(t.host, usual);
  });
  after(() => t.close());

  const changeSetsOf = async (guild: Guild) =>
    (await listChangeSets(t.as(admin), guild.id)).items.map(({ status, revokes }) => [status, revokes]);
  const ledgerOf = async (guild: Guild) =>
    (await t.services.db.pool.query('select user_id, action from role_ledger where community_id = $1', [guild.id]))
      .rows;
  const leftOf = async (guild: Guild, member: number) => {
    const words = 'select left_at from community_members where community_id = $1 and user_id = $2';
    return (await t.services.db.pool.query(words, [guild.id, guild.idOf(member)])).rows[0]?.left_at;
  };

  describe('that show one role at a time', () => {
    const [low, high] = ['0x00000000000000000000000000000000000000ba', '0x00000000000000000000000000000000000000bb'];
    const rules = [{ ...erc20Rule('low', '1', low), chainId: 137 }, erc20Rule('high', '1', high)];
    const settle = async (roles: readonly string[] = []) => {
      const guild = await setUpGuild(t, { members: 1, rules, roles: () => roles });
      const ids = ['high', 'low'];
      t.host.readRoles = async () => ids.map((id, position) => ({ id, name: id, position }));
      t.host.settle = (all, deserved) =>
        all
          .map(({ id }) => id)
          .filter((id) => deserved.includes(id))
          .slice(0, 1);
      const wallet = guild.walletOf(0);
      const hold = (chain: string, reference: string, amount: string) =>
        t.holdings.set({ chain, standard: 'erc20', reference, account: wallet }, amount);
      return {
        guild,
        holdLow: (amount: string) => hold('evm:137', low, amount),
        holdHigh: (amount: string) => hold('evm:1', high, amount),
      };
    };

    it('only the highest role that a member qualifies for is given, and the next one once it is lost', async () => {
      const { guild, holdLow, holdHigh } = await settle();
      holdLow('1');
      holdHigh('1');
      await guild.resync();
      assert.deepEqual(guild.rolesOf(0), ['high']);
      await guild.resync();
      assert.equal(guild.writes().length, 1, 'roles do not flip back and forth');
      holdHigh('0');
      await guild.resync();
      assert.deepEqual(guild.rolesOf(0), ['low']);
      holdHigh('1');
      await guild.resync();
      assert.deepEqual(guild.rolesOf(0), ['high']);
    });

    it('a role that is held and unknown keeps its place', async () => {
      const { guild, holdLow } = await settle(['high']);
      holdLow('1');
      t.holdings.fail('evm:1', 'The node is down.');
      await guild.resync();
      t.holdings.fail('evm:1', undefined);
      assert.deepEqual(guild.rolesOf(0), ['high']);
      assert.equal(guild.writes().length, 0);
    });

    it('a role that is unknown and not held takes no place from one that the member qualifies for', async () => {
      const { guild, holdLow } = await settle();
      holdLow('1');
      t.holdings.fail('evm:1', 'The node is down.');
      await guild.resync();
      t.holdings.fail('evm:1', undefined);
      assert.deepEqual(guild.rolesOf(0), ['low']);
    });

    it('a role that an admin undid takes no place from one that the member qualifies for either', async () => {
      const { guild, holdLow, holdHigh } = await settle();
      holdLow('1');
      holdHigh('1');
      await t.services.db.pool.query(
        `insert into role_suppressions (community_id, user_id, role_id, change_set_id, since) values ($1, $2, 'high', 'p', now())`,
        [guild.id, guild.idOf(0)],
      );
      await guild.resync();
      assert.deepEqual(guild.rolesOf(0), ['low']);
    });
  });

  describe('that protect some members', () => {
    it('no removal is planned that no bot could make, and the others lose theirs', async () => {
      const guild = await setUpGuild(t, { members: 3, roles: () => ['gold'] });
      const protectedId = guild.nativeIdOf(1);
      const { readMembers } = t.host;
      t.host.readMembers = async function* (communityId, signal) {
        for await (const page of readMembers(communityId, signal))
          yield page.map((member) => ({ ...member, isProtected: member.userId === protectedId }));
      };
      await guild.resync();
      assert.deepEqual([0, 1, 2].map(guild.rolesOf), [[], ['gold'], []]);
      assert.deepEqual(await changeSetsOf(guild), [['done', 2]]);
      t.host.readMembers = async function* (communityId, signal) {
        for await (const page of readMembers(communityId, signal))
          yield page.map((member) => ({ ...member, isProtected: false }));
      };
      t.advanceSeconds(60);
      await guild.resync();
      assert.deepEqual(guild.rolesOf(1), [], 'a member who is no longer protected is like any other');
    });

    it('a protected member is still granted what they qualify for', async () => {
      const guild = await setUpGuild(t, { members: 1 });
      guild.hold(0, '1');
      const { readMembers } = t.host;
      t.host.readMembers = async function* (communityId, signal) {
        for await (const page of readMembers(communityId, signal))
          yield page.map((member) => ({ ...member, isProtected: true }));
      };
      await guild.resync();
      assert.deepEqual(guild.rolesOf(0), ['gold']);
    });
  });

  describe('that screen new members', () => {
    const queuedIn = async (guild: Guild) =>
      (await t.services.db.pool.query('select user_id from reconcile_queue where community_id = $1', [guild.id])).rows;

    it('no role is written before the member accepts the rules, and then at once', async () => {
      const guild = await setUpGuild(t, { members: 2 });
      const [pending, other] = [guild.nativeIdOf(0), 1];
      for (const member of [0, other]) guild.hold(member, '1');
      t.host.setPending(guild.guildId, pending, true);
      await guild.resync();
      assert.deepEqual([guild.rolesOf(0), guild.rolesOf(other)], [[], ['gold']]);
      assert.deepEqual(await changeSetsOf(guild), [['done', 0]]);

      const community = await selectCommunity(t.services.db.system, guild.id);
      assert.ok(community);
      const { members } = await reconcileNow(t.as(admin), community, [guild.idOf(0)], { liftSuppressions: false });
      const [verdict] = members[0]?.verdicts ?? [];
      assert.deepEqual([verdict?.truth, verdict?.reason.isAwaitingScreening], ['true', true]);

      t.host.setPending(guild.guildId, pending, false);
      await noteMember(t.services, 'discord', guild.guildId, pending, { kind: 'updated', roleIds: [] });
      assert.deepEqual(await queuedIn(guild), [{ user_id: guild.idOf(0) }]);
      await guild.check();
      await guild.write();
      assert.deepEqual(guild.rolesOf(0), ['gold']);
      await noteMember(t.services, 'discord', guild.guildId, pending, { kind: 'updated', roleIds: ['gold'] });
      assert.deepEqual(await queuedIn(guild), [], 'other updates start no check');
    });

    it('a change that was planned before waits, without being tried, however long it takes', async () => {
      const guild = await setUpGuild(t, { members: 1 });
      guild.hold(0, '1');
      const news = { kind: 'updated', roleIds: [], isPending: true } as const;
      await enqueueReconcile(t.services.db.system, { communityId: guild.id, members: '*', cause: 'schedule' });
      await guild.check();
      t.host.setPending(guild.guildId, guild.nativeIdOf(0), true);
      await noteMember(t.services, 'discord', guild.guildId, guild.nativeIdOf(0), news);
      for (let minute = 0; minute < 12; minute += 1) {
        await guild.write();
        t.advanceSeconds(60);
      }
      assert.deepEqual([guild.writes().length, guild.rolesOf(0)], [0, []]);
      t.host.setPending(guild.guildId, guild.nativeIdOf(0), false);
      await guild.write();
      assert.deepEqual(guild.rolesOf(0), ['gold']);
    });
  });

  describe('where membership is a role', () => {
    const beTelegram = (guild: Guild) => {
      const { writeMember } = t.host;
      t.host.writeMember = async (write, signal) => {
        const outcome = await writeMember(write, signal);
        if (outcome.kind !== 'written' || !write.remove.includes('gold')) return outcome;
        t.host.removeMember(guild.guildId, write.userId);
        return { ...outcome, hasLeft: true };
      };
    };

    it('a member who loses it is gone, and the ledger says why', async () => {
      const guild = await setUpGuild(t, { members: 1, roles: () => ['gold'] });
      beTelegram(guild);
      await guild.resync();
      assert.deepEqual(await ledgerOf(guild), [{ user_id: guild.idOf(0), action: 'revoke' }]);
      assert.notEqual(await leftOf(guild, 0), null);
      assert.deepEqual(await changeSetsOf(guild), [['done', 1]]);
    });

    it('a removal whose response was lost is recorded once it shows', async () => {
      const guild = await setUpGuild(t, { members: 1, roles: () => ['gold'] });
      beTelegram(guild);
      const { writeMember } = t.host;
      t.host.writeMember = async (write, signal) => {
        await writeMember(write, signal);
        return { kind: 'failed', reason: 'The connection broke.' };
      };
      await guild.resync();
      assert.deepEqual(await ledgerOf(guild), []);
      t.advanceSeconds(10);
      await guild.write();
      assert.deepEqual(await ledgerOf(guild), [{ user_id: guild.idOf(0), action: 'revoke' }]);
      assert.notEqual(await leftOf(guild, 0), null);
      assert.equal(guild.writes().length, 1);
    });
  });

  describe('that do not list their members', () => {
    it('many members who are about to change are read one by one', async () => {
      const guild = await setUpGuild(t, { members: 40, roles: (member) => (member < 30 ? ['gold'] : []) });
      for (let member = 0; member < 40; member += 1) guild.hold(member, '1');
      await guild.resync();
      t.host.listsEveryone = false;
      t.host.readMembers = async function* () {};
      for (let member = 0; member < 9; member += 1) guild.hold(member, '0');
      t.host.removeMember(guild.guildId, guild.nativeIdOf(0));
      t.advanceSeconds(3600);
      await guild.resync();
      assert.notEqual(await leftOf(guild, 0), null);
      assert.deepEqual(
        [1, 8, 9, 39].map(guild.rolesOf),
        [[], [], ['gold'], ['gold']],
        'members without events too, and no others',
      );
    });

    it('a rate limit that is hit while they are read does not end the resync, nor change members who were not read', async () => {
      const guild = await setUpGuild(t, { members: 60 });
      await guild.resync();
      t.host.listsEveryone = false;
      t.host.readMembers = async function* () {};
      const { readMember } = t.host;
      let spare = 8;
      t.host.readMember = async (...args) => {
        spare -= 1;
        if (spare < 0) throw new PlatformFailed('unavailable', 'The limit is used up.', 60);
        return readMember(...args);
      };
      t.advanceSeconds(3600);
      await guild.resync();
      assert.ok(spare < 0, 'the limit was reached');
      for (let member = 0; member < 50; member += 1) guild.hold(member, '1');
      await assert.rejects(guild.resync(), /limit is used up/);
      assert.equal(guild.writes().length, 0);
      t.host.readMember = readMember;
      await guild.check();
      await guild.write();
      assert.deepEqual([0, 49, 50].map(guild.rolesOf), [['gold'], ['gold'], []]);
    });
  });
});
