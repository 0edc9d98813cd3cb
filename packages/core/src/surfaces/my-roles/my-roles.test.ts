import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Actor, AppError, type ErrorCode } from '@latchkey/kernel';
import { erc20Rule, type Guild, setUpGuild, token } from '../../gating/role-changes/testing/index.ts';
import { mallory, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { getMyRoleCheck, getMyRoles, startMyRoleCheck } from './operations.ts';

const twitterRule = {
  roleId: 'known',
  scheme: 'twitter',
  asset: 'twitter:twitter/profile:data',
  variables: { _filter: { filters: [{ traits: [{ trait_type: 'followers_count', value: '$ >= 100' }] }] } },
};

describe('my roles', () => {
  let t: TestPlatform;
  let guild: Guild;
  before(async () => {
    t = await testPlatform('my-roles');
    t.host.readRoles = async () => [
      { id: 'gold', name: 'Gold', color: 0xd4af37 },
      { id: 'known', name: 'Known on X' },
    ];
    const metadata = { standard: 'erc20', name: 'Cat Coin', symbol: 'CAT', decimals: 18 } as const;
    t.tokenMetadata.set('evm:1', token, { kind: 'read', metadata });
    await t.services.db.pool.query(
      `insert into evm_tokens (chain_id, address, added_at, due_at) values (1, $1, now(), '2000-01-01')`,
      [token],
    );
    guild = await setUpGuild(t, { members: 3, rules: [{ ...erc20Rule('gold', '2'), name: 'Cat club' }, twitterRule] });
    await guild.resync();
  });
  after(() => t.close());

  const actorOf = (member: number): Actor => ({
    kind: 'user',
    userId: guild.idOf(member),
    platform: 'discord',
    scopes: ['$all'],
    credential: 'wallet-session',
  });
  const rolesOf = (member: number) => getMyRoles(t.as(actorOf(member)), { communityId: guild.id });
  const refusal = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code;

  it('show what each condition needs and what I have, and which account is missing', async () => {
    guild.hold(0, '1.5');
    const { roles, link, wallets, conditions, conditionsMet } = await rolesOf(0);
    assert.deepEqual([wallets, conditions, conditionsMet], [1, 2, 0]);
    assert.equal(link, `https://discord.com/channels/${guild.guildId}`);
    const [gold, known] = roles;
    assert.deepEqual([gold?.name, gold?.has, gold?.state], ['Gold', false, 'missing']);
    assert.deepEqual(gold?.paths, [
      {
        name: 'Cat club',
        state: 'not-met',
        need: 'at least 2 CAT on Ethereum',
        conditions: [{ state: 'not-met', need: 'at least 2 CAT on Ethereum', found: 'Your linked wallets hold 1.5.' }],
        lines: [
          {
            depth: 0,
            kind: 'condition',
            state: 'not-met',
            need: 'at least 2 CAT on Ethereum',
            found: 'Your linked wallets hold 1.5.',
            amount: { least: '2', have: '1.5', unit: 'CAT on Ethereum' },
            link: `https://etherscan.io/token/${token}`,
          },
        ],
      },
    ]);
    assert.deepEqual([gold?.color, gold?.opens], [0xd4af37, []]);
    assert.match(gold?.words.join(' ') ?? '', /needs at least 2 CAT on Ethereum\. Your linked wallets hold 1\.5\./);
    const [condition] = known?.paths[0]?.conditions ?? [];
    assert.deepEqual([condition?.state, condition?.account], ['no-account', 'twitter']);
    assert.ok(!JSON.stringify(roles).includes(guild.walletOf(0)));
  });

  it('are explained in the language of the request', async () => {
    const [gold] = (await getMyRoles({ ...t.as(actorOf(0)), locale: 'fr' }, { communityId: guild.id })).roles;
    const [condition] = gold?.paths[0]?.conditions ?? [];
    assert.deepEqual(
      [condition?.need, condition?.found],
      ['au moins 2 CAT sur Ethereum', 'Vos portefeuilles liés en détiennent 1,5.'],
    );
    assert.match(gold?.words.join(' ') ?? '', /^La règle « Cat club » demande au moins 2 CAT/);
  });

  it('show that a secret rule exists but not what it requires, and nothing of a hidden one', async () => {
    const show = (visibility: string) =>
      t.services.db.pool.query(
        `update community_rules set visibility = $2 where community_id = $1 and role_id = 'gold'`,
        [guild.id, visibility],
      );
    await show('secret');
    const [gold] = (await rolesOf(0)).roles;
    assert.deepEqual(gold?.paths, [
      {
        state: 'not-met',
        conditions: [{ state: 'not-met', need: 'a hidden condition' }],
        lines: [{ depth: 0, kind: 'condition', state: 'not-met', need: 'a hidden condition' }],
      },
    ]);
    assert.ok(!JSON.stringify(gold).includes('CAT'));
    await show('hidden');
    assert.deepEqual(
      (await rolesOf(0)).roles.map(({ roleId }) => roleId),
      ['known'],
    );
    await show('public');
  });

  it('are checked on demand, with counts of pending and granted roles', async () => {
    guild.hold(1, '5');
    assert.equal((await rolesOf(1)).roles[0]?.state, 'coming');
    const { isWaiting, since } = await startMyRoleCheck(t.as(actorOf(1)), { communityId: guild.id });
    assert.equal(isWaiting, true);
    const progress = () => getMyRoleCheck(t.as(actorOf(1)), { communityId: guild.id, since });
    await guild.check();
    const checked = await progress();
    assert.deepEqual([checked.isWaiting, checked.waiting, checked.given], [false, 1, 0]);
    await guild.write();
    const done = await progress();
    assert.deepEqual([done.waiting, done.given, done.taken, done.failed], [0, 1, 0, 0]);
    assert.equal((await rolesOf(1)).roles[0]?.state, 'kept');
    t.advanceSeconds(60);
    const later = t.services.clock().toISOString();
    assert.equal((await getMyRoleCheck(t.as(actorOf(1)), { communityId: guild.id, since: later })).given, 0);
  });

  it('stay unchanged while something cannot be read, and say so', async () => {
    t.holdings.fail('evm:1', 'The node is down.');
    const { roles } = await rolesOf(1);
    assert.deepEqual([roles[0]?.has, roles[0]?.state, roles[0]?.paths[0]?.state], [true, 'kept', 'unknown']);
    assert.match(roles[0]?.paths[0]?.conditions[0]?.found ?? '', / could not be read, so nothing changes\.$/);
    const [line] = roles[0]?.paths[0]?.lines ?? [];
    assert.deepEqual([line?.state, line?.problem, line?.amount?.have], ['unknown', 'The node is down.', undefined]);
  });

  it('exist only in communities that I am in', async () => {
    for (const communityId of [guild.id, 'DIS#COMM#404', "' or 1=1 --"])
      for (const ask of [getMyRoles, startMyRoleCheck, getMyRoleCheck])
        await assert.rejects(ask(t.as(mallory), { communityId }), refusal('ENTITY_NOT_FOUND'));
    await assert.rejects(
      getMyRoleCheck(t.as(actorOf(1)), { communityId: guild.id, since: 'yesterday' }),
      refusal('INVALID_PARAMETER_VALUE'),
    );
  });
});
