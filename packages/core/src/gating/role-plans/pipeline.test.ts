import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { observed } from '@latchkey/kernel';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { touch } from '../touches/index.ts';
import { explainRole, listHoldersAt } from './explain.ts';
import { admin, chain, erc20Rule, type Guild, settleGuild, startTestWorker } from './testing/index.ts';

describe('the way of a role', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('gating');
  });
  after(() => t.close());

  async function ledgerOf(guild: Guild): Promise<{ user_id: string; role_id: string; action: string }[]> {
    return t.services.db.system
      .selectFrom('role_ledger')
      .select(['user_id', 'role_id', 'action'])
      .where('community_id', '=', guild.id)
      .orderBy('id')
      .execute();
  }

  it('gives a role to those who hold enough, takes it from those who do not, and leaves other roles alone', async () => {
    const guild = await settleGuild(t, { members: 4, roles: (member) => (member === 2 ? ['gold', 'vip'] : ['vip']) });
    guild.hold(0, '1');
    guild.hold(1, '0.999');
    await guild.sweep();
    assert.deepEqual(guild.rolesOf(0), ['vip', 'gold']);
    assert.deepEqual(guild.rolesOf(1), ['vip']);
    assert.deepEqual(guild.rolesOf(2), ['vip']);
    assert.equal(guild.writes().length, 2);
    await guild.sweep();
    assert.equal(guild.writes().length, 2, 'a second sweep has nothing to write');
  });

  it('tells of each change that the platform took, with why and how long its check was due', async () => {
    const guild = await settleGuild(t, { members: 2, roles: (member) => (member === 1 ? ['gold'] : []) });
    guild.hold(0, '1');
    const told: Parameters<typeof observed.roleChange.tell>[0][] = [];
    const stop = observed.roleChange.listen((change) => void told.push(change));
    await guild.sweep();
    stop();
    const byAction = told.toSorted((a, b) => (a.action < b.action ? -1 : 1));
    assert.deepEqual(
      byAction.map(({ platform, action, outcome }) => [platform, action, outcome]),
      [
        ['discord', 'grant', 'confirmed'],
        ['discord', 'revoke', 'confirmed'],
      ],
    );
    for (const { cause, seconds } of told) assert.ok(cause !== undefined && seconds !== undefined && seconds >= 0);
  });

  it('carries all changes of a member in one write', async () => {
    const rules = [erc20Rule('a'), erc20Rule('b'), erc20Rule('c', '100')];
    const guild = await settleGuild(t, { members: 1, rules, roles: () => ['c'] });
    guild.hold(0, '5');
    await guild.sweep();
    const [write, ...others] = guild.writes();
    assert.deepEqual([write?.add, write?.remove, others], [['a', 'b'], ['c'], []]);
  });

  it('several rules of a role are alternatives, and an unknown one keeps the role', async () => {
    const other = '0x00000000000000000000000000000000000000bb';
    const rules = [erc20Rule('gold'), { ...erc20Rule('gold', '1', other), chainId: 137 }];
    const guild = await settleGuild(t, { members: 2, rules, roles: () => ['gold'] });
    guild.hold(0, '1');
    t.holdings.fail('evm:137', 'The node is down.');
    await guild.sweep();
    t.holdings.fail('evm:137', undefined);
    assert.deepEqual([guild.rolesOf(0), guild.rolesOf(1)], [['gold'], ['gold']]);
    await guild.sweep();
    assert.deepEqual([guild.rolesOf(0), guild.rolesOf(1)], [['gold'], []]);
  });

  it('keeps every role while a chain does not answer, and finds the truth once it does', async () => {
    const guild = await settleGuild(t, { members: 5, roles: () => ['gold'] });
    guild.hold(0, '1');
    t.holdings.fail(chain, 'The node is down.');
    await guild.sweep();
    assert.equal(guild.writes().length, 0);
    t.holdings.fail(chain, undefined);
    await guild.check();
    assert.equal(guild.writes().length, 0, 'it is not tried again at once');
    t.advanceSeconds(31);
    await guild.check();
    await guild.write();
    assert.deepEqual([guild.rolesOf(0), guild.rolesOf(1)], [['gold'], []]);
  });

  it('does not take a role on the word of one endpoint', async () => {
    const guild = await settleGuild(t, { members: 1, roles: () => ['gold'] });
    guild.hold(0, '3');
    const { read } = t.holdings;
    t.holdings.read = async (questions, options) => {
      const answers = await read(questions, options);
      if (options?.quorum === 2) return answers.map(() => ({ kind: 'unknown', reason: 'Two endpoints disagree.' }));
      return answers.map(() => ({ kind: 'read', amount: '0', block: { number: '2' } }));
    };
    await guild.sweep();
    t.holdings.read = read;
    assert.deepEqual([guild.rolesOf(0), guild.writes().length], [['gold'], 0]);
  });

  it('a rule that cannot be read takes nothing from anybody', async () => {
    const guild = await settleGuild(t, {
      members: 2,
      rules: [{ type: 'NO_SUCH', roleId: 'gold' }],
      roles: () => ['gold'],
    });
    await guild.sweep();
    assert.equal(guild.writes().length, 0);
  });

  it('skips programs and those who have left, and paused communities wholly', async () => {
    const guild = await settleGuild(t, { members: 3, roles: () => ['gold'] });
    t.host.removeMember(guild.guildId, guild.nativeIdOf(2));
    const { readMembers } = t.host;
    t.host.readMembers = async function* (communityId) {
      for await (const page of readMembers(communityId)) yield page.map((member) => ({ ...member, isBot: true }));
    };
    await guild.sweep();
    await guild.sweep([2]);
    t.host.readMembers = readMembers;
    assert.deepEqual(guild.writes(), []);
    await t.services.db.pool.query(`update communities set status = 'paused' where id = $1`, [guild.id]);
    await guild.sweep();
    assert.deepEqual(guild.writes(), []);
  });

  it('answers from the ledger who had a role at a time, and why', async () => {
    const guild = await settleGuild(t, { members: 2 });
    const ctx = t.as(admin);
    const at = () => t.services.clock();
    guild.hold(0, '7');
    const before = at();
    t.advanceSeconds(10);
    await guild.sweep();
    const granted = at();
    t.advanceSeconds(10);
    guild.hold(0, '0');
    guild.hold(1, '1');
    await guild.sweep();
    const wish = { communityId: guild.id, userId: guild.idOf(0), roleId: 'gold' };
    assert.deepEqual(await explainRole(ctx, { ...wish, at: before }), { had: false });
    const then = await explainRole(ctx, { ...wish, at: granted });
    assert.equal(then.had, true);
    assert.match(JSON.stringify(then.entry?.reason), /"value":"7"/);
    assert.deepEqual(then.entry?.blocks, { [chain]: '1' });
    assert.equal((await explainRole(ctx, { ...wish, at: at() })).had, false);
    const holders = async (when: Date) =>
      (await listHoldersAt(ctx, { communityId: guild.id, roleId: 'gold', at: when })).items.map((row) => row.user_id);
    assert.deepEqual(await holders(before), []);
    assert.deepEqual(await holders(granted), [guild.idOf(0)]);
    assert.deepEqual(await holders(at()), [guild.idOf(1)]);
    await assert.rejects(t.services.db.pool.query('delete from role_ledger'), /only ever added to/);
  });

  it('a hundred touches of one member at once end as the last state says, without a second ledger row', async () => {
    const guild = await settleGuild(t, { members: 3 });
    for (const member of [0, 1, 2]) guild.hold(member, '1');
    const touchAll = () =>
      touch(t.services.db.system, { communityId: guild.id, members: [guild.idOf(1), guild.idOf(0)], cause: 'wallet' });
    const worker = startTestWorker(t);
    await Promise.all(Array.from({ length: 100 }, touchAll));
    await worker.idle();
    await worker.stop(1_000);
    assert.deepEqual([guild.rolesOf(0), guild.rolesOf(1), guild.rolesOf(2)], [['gold'], ['gold'], []]);
    assert.deepEqual((await ledgerOf(guild)).map(({ user_id }) => user_id).toSorted(), [guild.idOf(0), guild.idOf(1)]);
    assert.equal(guild.writes().length, 2);
  });

  it('a newer decision takes the place of one that waits', async () => {
    const guild = await settleGuild(t, { members: 1 });
    guild.hold(0, '1');
    await touch(t.services.db.system, { communityId: guild.id, members: '*', cause: 'schedule' });
    await guild.check();
    guild.hold(0, '0');
    await guild.sweep();
    assert.deepEqual([guild.rolesOf(0), guild.writes()], [[], []]);
    const plans = await t.services.db.system
      .selectFrom('role_plans')
      .select('status')
      .where('community_id', '=', guild.id)
      .execute();
    assert.deepEqual(plans, [{ status: 'done' }]);
  });

  it('roles that follow from other roles are decided after them', async () => {
    const composition = {
      scheme: 'role_composition',
      roleId: 'both',
      variables: {
        roleComposition: { action: 'addOrRemove', roleId: 'both', operator: 'and', condition: { a: true, vip: true } },
      },
    };
    const guild = await settleGuild(t, {
      members: 2,
      rules: [erc20Rule('a'), composition],
      roles: (member) => (member === 0 ? ['vip'] : ['both']),
    });
    guild.hold(0, '1');
    guild.hold(1, '1');
    await guild.sweep();
    assert.deepEqual(guild.rolesOf(0)?.toSorted(), ['a', 'both', 'vip']);
    assert.deepEqual(guild.rolesOf(1)?.toSorted(), ['a']);
  });
});
