import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { noteMember } from '../../../communities/members/index.ts';
import { enqueueReconcile } from '../../../communities/reconcile-queue/index.ts';
import { PlatformFailed } from '../../../ports/index.ts';
import { type TestPlatform, testPlatform } from '../../../testing/index.ts';
import { listBlockedRoles, listChangeSets } from '../review/reads.ts';
import { admin, erc20Rule, type Guild, setUpGuild } from '../testing/index.ts';
import { resumeRole } from './resume-role.ts';

describe('writing roles', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('writing');
  });
  after(() => t.close());

  const statusesOf = async (guild: Guild) =>
    (await listChangeSets(t.as(admin), guild.id)).items.map(({ status, note }) => [status, note]);

  async function ledgerCount(guild: Guild): Promise<number> {
    const { count } = await t.services.db.system
      .selectFrom('role_ledger')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('community_id', '=', guild.id)
      .executeTakeFirstOrThrow();
    return count;
  }

  async function settle(members: number, rules = [erc20Rule('gold')]): Promise<Guild> {
    const guild = await setUpGuild(t, { members, rules });
    for (let member = 0; member < members; member += 1) guild.hold(member, '1');
    return guild;
  }

  it('stops at the first refusal of the platform, and says what an admin must do', async () => {
    const guild = await settle(20);
    const advice = 'Move the role of the bot above the role Gold.';
    t.host.interfere(({ communityId }) =>
      communityId === guild.guildId ? { kind: 'forbidden', advice, roleId: 'gold' } : undefined,
    );
    await guild.resync();
    assert.ok(guild.writes().length <= t.host.writesAtOnce, 'only calls already in flight were made');
    const requested = guild.writes().length;
    await guild.write();
    assert.equal(guild.writes().length, requested);
    assert.deepEqual(await statusesOf(guild), [['failed', advice]]);
    const breakers = await listBlockedRoles(t.as(admin), guild.id);
    assert.deepEqual(
      breakers.map(({ roleId, advice }) => [roleId, advice]),
      [['gold', advice]],
    );
    t.host.interfere(undefined);
    await guild.resync();
    assert.deepEqual(guild.rolesOf(19), ['gold']);
    assert.deepEqual(await statusesOf(guild), [['done', null]]);
    assert.deepEqual(await listBlockedRoles(t.as(admin), guild.id), []);
  });

  it('writes the other roles while one is stopped', async () => {
    const guild = await settle(3, [erc20Rule('gold'), erc20Rule('silver')]);
    t.host.interfere(({ communityId, add }) =>
      communityId === guild.guildId && add.includes('gold')
        ? { kind: 'forbidden', advice: 'Move the bot up.', roleId: 'gold' }
        : undefined,
    );
    await guild.resync();
    t.host.interfere(undefined);
    assert.deepEqual([0, 1, 2].map(guild.rolesOf), [['silver'], ['silver'], ['silver']]);
  });

  it('sets aside a role that has dangerous permissions by now, shows why, and grants the others', async () => {
    const guild = await settle(3, [erc20Rule('gold'), erc20Rule('silver')]);
    t.host.setPowers(guild.guildId, 'gold', ['Ban Members']);
    await guild.resync();
    assert.deepEqual([0, 1, 2].map(guild.rolesOf), [['silver'], ['silver'], ['silver']]);
    assert.ok(guild.writes().every(({ add }) => !add.includes('gold')));
    const [stop, ...others] = await listBlockedRoles(t.as(admin), guild.id);
    assert.deepEqual([stop?.roleId, others], ['gold', []]);
    assert.match(stop?.advice ?? '', /The role "gold" has Ban Members, so people must give it in Discord themselves/);
    const [[status, note] = []] = await statusesOf(guild);
    assert.deepEqual([status, note], ['failed', stop?.advice]);

    t.host.setPowers(guild.guildId, 'gold', []);
    await resumeRole(t.services, guild.id, 'silver');
    assert.equal((await listBlockedRoles(t.as(admin), guild.id)).length, 1, 'only what was changed is tried again');
    await resumeRole(t.services, guild.id, 'gold');
    await guild.write();
    assert.deepEqual(guild.rolesOf(2)?.toSorted(), ['gold', 'silver']);
    assert.deepEqual(await statusesOf(guild), [['done', null]]);
  });

  it('still removes a role with dangerous permissions from a member who does not qualify', async () => {
    const guild = await settle(1);
    await guild.resync();
    assert.deepEqual(guild.rolesOf(0), ['gold']);
    t.host.setPowers(guild.guildId, 'gold', ['Administrator']);
    guild.hold(0, '0');
    await guild.resync();
    assert.deepEqual(guild.rolesOf(0), []);
  });

  it('grants nothing while the permissions of roles cannot be read, and tries again', async () => {
    const guild = await settle(1);
    const { findFaults } = t.host;
    t.host.findFaults = async () => {
      throw new PlatformFailed('unavailable', 'Discord is down.', 5);
    };
    await guild.resync();
    assert.deepEqual([guild.writes(), guild.rolesOf(0)], [[], []]);
    if (findFaults !== undefined) t.host.findFaults = findFaults;
    t.advanceSeconds(10);
    await guild.write();
    assert.deepEqual(guild.rolesOf(0), ['gold']);
  });

  it('retries after a failure, with growing delays, and gives up in the end', async () => {
    const guild = await settle(1);
    t.host.interfere(({ communityId }) =>
      communityId === guild.guildId ? { kind: 'failed', reason: 'Internal server error.' } : undefined,
    );
    await guild.resync();
    await guild.write();
    assert.equal(guild.writes().length, 1, 'not before its time');
    for (let round = 0; round < 10; round += 1) {
      t.advanceSeconds(601);
      await guild.write();
    }
    t.host.interfere(undefined);
    assert.equal(guild.writes().length, 8);
    assert.deepEqual(await statusesOf(guild), [['failed', 'Internal server error.']]);
    await guild.resync();
    assert.deepEqual(guild.rolesOf(0), ['gold'], 'the next resync plans it again');
  });

  it('a write that the platform lost is written again, and recorded once', async () => {
    const guild = await settle(4);
    let lost = 0;
    t.host.interfere(({ communityId }) => {
      if (communityId !== guild.guildId || lost >= 2) return undefined;
      lost += 1;
      return { kind: 'written', roleIds: [], calls: 1 };
    });
    await guild.resync();
    t.host.interfere(undefined);
    t.advanceSeconds(10);
    await guild.write();
    assert.deepEqual([0, 1, 2, 3].map(guild.rolesOf), [['gold'], ['gold'], ['gold'], ['gold']]);
    assert.equal(await ledgerCount(guild), 4);
    assert.deepEqual(await statusesOf(guild), [['done', null]]);
  });

  it('a write that succeeded although its response failed is noticed before it is repeated', async () => {
    const guild = await settle(1);
    t.host.interfere(({ communityId, userId }) => {
      if (communityId !== guild.guildId) return undefined;
      t.host.addMember(guild.guildId, userId, ['gold']);
      return { kind: 'failed', reason: 'The connection broke.' };
    });
    await guild.resync();
    t.host.interfere(undefined);
    t.advanceSeconds(10);
    await guild.write();
    assert.equal(guild.writes().length, 1);
    assert.equal(await ledgerCount(guild), 1);
  });

  it('a member who has left in the meantime is not written to again', async () => {
    const guild = await settle(2);
    t.host.interfere(({ communityId, userId }) => {
      if (communityId === guild.guildId && userId === guild.nativeIdOf(1)) t.host.removeMember(guild.guildId, userId);
      return undefined;
    });
    await guild.resync();
    t.host.interfere(undefined);
    assert.equal(await ledgerCount(guild), 1);
    await guild.resync([1]);
    assert.equal(guild.writes().length, 2);
    assert.deepEqual(await statusesOf(guild), [['done', null]]);
  });

  it('a job that dies half-way resumes where it was: nothing twice, no needless call', async () => {
    const guild = await settle(40);
    let calls = 0;
    const { writeMember } = t.host;
    t.host.writeMember = async (write, signal) => {
      calls += 1;
      const isLast = calls === 11;
      // The write succeeds, but the process dies before it sees the response.
      const outcome = await writeMember(write, signal);
      if (isLast) throw new Error('The process was killed.');
      return outcome;
    };
    await assert.rejects(guild.resync(), /killed/);
    t.host.writeMember = writeMember;
    await guild.write();
    assert.deepEqual(guild.rolesOf(39), ['gold']);
    assert.equal(await ledgerCount(guild), 40);
    assert.equal(new Set(guild.writes().map(({ userId }) => userId)).size, 40);
    assert.equal(guild.writes().length, 40);
    assert.deepEqual(await statusesOf(guild), [['done', null]]);
  });

  it('what others changed in the meantime is neither written nor recorded', async () => {
    const guild = await settle(2);
    await enqueueReconcile(t.services.db.system, { communityId: guild.id, members: '*', cause: 'schedule' });
    await guild.check();
    t.advanceSeconds(1);
    const news = { kind: 'updated' as const, roleIds: ['gold'] };
    t.host.addMember(guild.guildId, guild.nativeIdOf(0), news.roleIds);
    await noteMember(t.services, 'discord', guild.guildId, guild.nativeIdOf(0), news);
    await guild.write();
    assert.deepEqual(
      guild.writes().map(({ userId }) => userId),
      [guild.nativeIdOf(1)],
    );
    assert.equal(await ledgerCount(guild), 1);
  });
});
