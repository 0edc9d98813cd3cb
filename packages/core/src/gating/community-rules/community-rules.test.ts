import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AppError, type ErrorCode } from '@latchkey/kernel';
import { addMembers, newCommunity, newUser } from '../../communities/community/testing.ts';
import { ruleIdOf } from '../../communities/rule-records/rule.ts';
import { contextFor } from '../../shared/context.ts';
import { mallory, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { createRule, insertNewRule, refuseBadReplacement, refuseBadRule, replaceRule } from './change-rules.ts';
import { removeRule } from './delete-rule.ts';
import { findRules, findRulesForViewer, findRulesWithRoles, ruleOperations } from './operations.ts';

const contract = `0x${'Ab'.repeat(20)}`;
const nft = { type: 'ERC721', chainId: 1, contractAddress: contract, roleId: 'gold', name: 'Cats', minToken: '2' };

/** Grants a role to members who have another one. */
const composition = (roleId: string) => ({
  scheme: 'role_composition',
  roleId: 'silver',
  variables: { roleComposition: { action: 'add', roleId, operator: 'and', condition: { bronze: true } } },
});

describe('rules of a community', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('rules-of-communities');
  });
  after(() => t.close());

  function refusal(code: ErrorCode) {
    return (error: unknown) => error instanceof AppError && error.code === code;
  }

  /** Empties the reconcile queue, so that only later entries are seen. */
  async function takeQueued(communityId: string): Promise<{ user_id: string; role_ids: string[] }[]> {
    const rows = await t.services.db.system
      .deleteFrom('reconcile_queue')
      .where('community_id', '=', communityId)
      .returning(['user_id', 'cause', 'role_ids'])
      .execute();
    assert.ok(rows.every(({ cause }) => cause === 'rule'));
    return rows.map(({ user_id, role_ids }) => ({ user_id, role_ids: role_ids.toSorted() }));
  }

  it('are named after contract, role and chain, returned as they were sent, and queue a check of members', async () => {
    const { owner, id } = await newCommunity(t);
    const made = await createRule(t.as(owner), { id, body: nft });
    assert.equal(made.id, `TPC#${contract}#gold#1`);
    assert.deepEqual([made.pk, made.sk, made.classifier], [id, made.id, 'TPC']);
    assert.deepEqual([made.type, made.chainId, made.minToken, made.name], ['ERC721', 1, '2', 'Cats']);
    assert.deepEqual((await findRules(t.as(owner), { id })).items, [made]);
    assert.deepEqual(await takeQueued(id), [{ user_id: '*', role_ids: ['gold'] }]);
    const tokens = t.services.db.system.selectFrom('evm_tokens').select(['chain_id', 'expected_standard']);
    assert.deepEqual(await tokens.where('address', '=', contract.toLowerCase()).execute(), [
      { chain_id: 1, expected_standard: 'erc721' },
    ]);
  });

  it('are shown to members as far as their admins allow, and keep that when they are replaced', async () => {
    const { owner, id } = await newCommunity(t);
    const member = newUser();
    await addMembers(t, id, [{ userId: member.userId }]);
    const tree = { and: [nft, { ...nft, contractAddress: `0x${'cd'.repeat(20)}`, visibility: 'secret' }] };
    const logic = { scheme: 'logic', roleId: 'gold', variables: { rule: tree } };
    await insertNewRule(t.as(owner), { id, body: logic });
    const secret = await insertNewRule(t.as(owner), { id, body: nft, visibility: 'secret' });
    await insertNewRule(t.as(owner), { id, body: { ...nft, roleId: 'silver' }, visibility: 'hidden' });
    await replaceRule(t.as(owner), { id, tpcId: secret.id, body: { ...nft, minToken: '3' } });
    const shown = await findRulesForViewer(t.as(member), { id });
    assert.deepEqual(
      shown.items.map(({ roleId, scheme, id: ruleId }) => [roleId, scheme, ruleId === undefined]).toSorted(),
      [
        ['gold', undefined, true],
        ['gold', 'logic', false],
      ].toSorted(),
    );
    assert.ok(!JSON.stringify(shown).includes('cdcd'));
    assert.equal((await findRulesForViewer(t.as(owner), { id })).items.length, 3);
    assert.match(JSON.stringify(await findRulesWithRoles(t.as(owner), { id })), /cdcd/);
  });

  it('with the same name get a number, so that each can be identified', async () => {
    const { owner, id } = await newCommunity(t);
    const ids = [];
    for (let count = 0; count < 3; count += 1) ids.push((await createRule(t.as(owner), { id, body: nft })).id);
    assert.equal(new Set(ids).size, 3);
    assert.equal(ids[1], `TPC#${contract}#gold#1#2`);
    await removeRule(t.as(owner), { id, tpcId: ids[1] ?? '' });
    assert.equal((await createRule(t.as(owner), { id, body: nft })).id, ids[1]);
  });

  it('without a contract are named after what they have', () => {
    const none = new Set<string>();
    assert.equal(ruleIdOf({ asset: `evm:137/ERC721:${contract}/1-5` }, 'r', none), `TPC#${contract}#r#137`);
    assert.equal(ruleIdOf({ type: 'OPEN_SEA', collectionName: 'cats', chainId: 1 }, 'r', none), 'TPC#cats#r#1');
    assert.equal(ruleIdOf({ type: 'ROLL', tokenSymbol: 'CAT' }, 'r', none), 'TPC#CAT#r');
    assert.equal(ruleIdOf({ scheme: 'role_composition' }, 'r', none), 'TPC#role_composition#r');
  });

  it('are listed page by page, and a token of one community is refused by another', async () => {
    const { owner, id } = await newCommunity(t);
    for (const roleId of ['a', 'b', 'c']) await createRule(t.as(owner), { id, body: { ...nft, roleId } });
    const first = await findRules(t.as(owner), { id, limit: 2 });
    const second = await findRules(t.as(owner), { id, limit: 2, paginationToken: first.paginationToken });
    assert.deepEqual(
      [...first.items, ...second.items].map(({ roleId }) => roleId),
      ['a', 'b', 'c'],
    );
    const other = await newCommunity(t);
    await assert.rejects(
      findRules(t.as(other.owner), { id: other.id, paginationToken: first.paginationToken }),
      refusal('INVALID_PAGINATION_TOKEN'),
    );
  });

  it('show name and colour of their role to members, and go without when the platform does not respond', async () => {
    const { owner, id } = await newCommunity(t);
    const member = newUser();
    await addMembers(t, id, [{ userId: member.userId }]);
    await createRule(t.as(owner), { id, body: nft });
    await createRule(t.as(owner), { id, body: { ...nft, roleId: 'unknown' } });
    const shown = await findRulesWithRoles(t.as(member), { id });
    assert.deepEqual(
      shown.items.map(({ roleName, roleColor }) => [roleName, roleColor]),
      [
        ['Gold', 15_844_367],
        [undefined, undefined],
      ],
    );
    t.host.fail('Discord is down.');
    const bare = await findRulesWithRoles(t.as(member), { id });
    t.host.fail(undefined);
    assert.deepEqual(
      bare.items.map(({ roleId, roleName }) => [roleId, roleName]),
      [
        ['gold', undefined],
        ['unknown', undefined],
      ],
    );
  });

  it('keep their id when they are replaced, and both roles are checked', async () => {
    const { owner, id } = await newCommunity(t);
    const { id: tpcId = '' } = await createRule(t.as(owner), { id, body: nft });
    await takeQueued(id);
    const body = { type: 'ERC20', chainId: 10, contractAddress: contract, roleId: 'silver', minToken: '0.5' };
    await replaceRule(t.as(owner), { id, tpcId, body });
    const [rule] = (await findRules(t.as(owner), { id })).items;
    assert.deepEqual([rule?.id, rule?.roleId, rule?.minToken, rule?.name], [tpcId, 'silver', '0.5', undefined]);
    assert.deepEqual(await takeQueued(id), [{ user_id: '*', role_ids: ['gold', 'silver'] }]);
    await removeRule(t.as(owner), { id, tpcId });
    assert.deepEqual(await takeQueued(id), [{ user_id: '*', role_ids: ['silver'] }]);
    assert.deepEqual((await findRules(t.as(owner), { id })).items, []);
  });

  it('take amounts as numbers and return them as strings, as other clients read them', async () => {
    const { owner, id } = await newCommunity(t);
    const { id: tpcId = '', ...made } = await createRule(t.as(owner), { id, body: { ...nft, minToken: 1 } });
    assert.equal(made.minToken, '1');
    await replaceRule(t.as(owner), { id, tpcId, body: { ...nft, minToken: 0.5, maxToken: 1e21 } });
    const [rule] = (await findRules(t.as(owner), { id })).items;
    assert.deepEqual([rule?.minToken, rule?.maxToken], ['0.5', `1${'0'.repeat(21)}`]);
  });

  it('that cannot be read are refused as a whole, and nothing is stored or checked', async () => {
    const { owner, id } = await newCommunity(t);
    const broken = [
      {},
      { roleId: 'gold' },
      { ...nft, roleId: undefined },
      { ...nft, roleId: '' },
      { ...nft, type: 'NONSENSE' },
      { ...nft, minToken: 'many' },
      { ...nft, minToken: -1 },
      { ...nft, minToken: 1e300 },
      { ...nft, contractAddress: 'nowhere' },
      { ...nft, version: '9.9.9' },
      { roleId: 'gold', asset: `evm:1/ERC721:${contract}`, query: '$((' },
    ];
    for (const body of broken) {
      await assert.rejects(createRule(t.as(owner), { id, body }), refusal('VALIDATION_FAILED'), JSON.stringify(body));
    }
    assert.deepEqual((await findRules(t.as(owner), { id })).items, []);
    assert.deepEqual(await takeQueued(id), []);
  });

  it('that give a role with moderation permissions are refused, naming the role and its permissions', async () => {
    const { owner, community, id } = await newCommunity(t);
    const guildId = community.communityId ?? '';
    t.host.setPowers(guildId, 'gold', ['Ban Members', 'Manage Roles']);
    const words =
      /The body at \/(variables\/roleComposition\/)?roleId must name another role\. The role "Gold" has Ban Members, Manage Roles/;
    for (const body of [nft, composition('gold')])
      await assert.rejects(refuseBadRule(t.as(owner), { id, body }), (error) => {
        assert.ok(error instanceof AppError && error.code === 'VALIDATION_FAILED');
        assert.match(error.message, words);
        return true;
      });
    await refuseBadRule(t.as(owner), { id, body: { ...nft, roleId: 'silver' } });
    t.host.fail('Discord is down.');
    await refuseBadRule(t.as(owner), { id, body: nft });
    t.host.fail(undefined);
    t.host.setPowers(guildId, 'gold', []);
    await refuseBadRule(t.as(owner), { id, body: nft });
    t.host.setPowers(guildId, 'gold', ['Ban Members']);
    const { sk: tpcId = '' } = await createRule(t.as(owner), { id, body: nft });
    await assert.rejects(refuseBadReplacement(t.as(owner), { id, tpcId, body: nft }), { code: 'VALIDATION_FAILED' });
    const missing = { id, tpcId: `${tpcId}0`, body: nft };
    await assert.rejects(refuseBadReplacement(t.as(owner), missing), { code: 'ENTITY_NOT_FOUND' });
    const asks = new Map<string, unknown>(ruleOperations.map(({ route, contract }) => [route, contract.before]));
    assert.equal(asks.get('POST /communities/{id}/tpcs'), refuseBadRule);
    assert.equal(asks.get('PUT /communities/{id}/tpcs/{tpcId}'), refuseBadReplacement);
  });

  it('about a contract of another standard are refused with what it is, and a chain that is down refuses nothing', async () => {
    const { owner, id } = await newCommunity(t);
    const refuse = (body: Parameters<typeof refuseBadRule>[1]['body']) => refuseBadRule(t.as(owner), { id, body });
    t.tokenMetadata.set('evm:1', contract, { kind: 'read', metadata: { standard: 'erc20', name: 'Coin' } });
    const asset = `evm:1/ERC721:${contract}`;
    const tree = { scheme: 'logic', roleId: 'gold', variables: { rule: { and: [{ asset }] } } };
    for (const [body, path] of [
      [nft, '/contractAddress'],
      [{ roleId: 'gold', asset }, '/asset'],
      [tree, '/variables'],
    ] as const)
      await assert.rejects(refuse(body), (error) => {
        assert.ok(error instanceof AppError && error.code === 'VALIDATION_FAILED');
        assert.match(error.message, new RegExp(`${path} .*implements ERC20, not ERC721`));
        return true;
      });
    await refuse({ ...nft, type: 'ERC20' });
    t.tokenMetadata.set('evm:1', contract, { kind: 'unknown', reason: 'The node is down.' });
    await refuse(nft);
    t.tokenMetadata.set('evm:1', contract, { kind: 'read', metadata: {} });
    await refuse(nft);
  });

  it('of others can be neither read, created, replaced nor removed', async () => {
    const { owner, id } = await newCommunity(t);
    const { id: tpcId = '' } = await createRule(t.as(owner), { id, body: nft });
    const missing = refusal('ENTITY_NOT_FOUND');
    await assert.rejects(findRules(t.as(mallory), { id }), missing);
    await assert.rejects(findRulesWithRoles(t.as(mallory), { id }), missing);
    await assert.rejects(createRule(t.as(mallory), { id, body: nft }), missing);
    await assert.rejects(replaceRule(t.as(mallory), { id, tpcId, body: nft }), missing);
    await assert.rejects(removeRule(t.as(mallory), { id, tpcId }), missing);
    await assert.rejects(removeRule(t.as(owner), { id, tpcId: 'TPC#other' }), missing);
    await assert.rejects(replaceRule(t.as(owner), { id, tpcId: 'TPC#other', body: nft }), missing);
    const member = newUser();
    await addMembers(t, id, [{ userId: member.userId }]);
    await assert.rejects(removeRule(t.as(member), { id, tpcId }), missing);
    await assert.rejects(createRule(t.as(member), { id, body: nft }), missing);
    assert.equal((await findRules(t.as(owner), { id })).items.length, 1);
  });

  it('created at the same time all get a name of their own', async () => {
    const { owner, id } = await newCommunity(t);
    const made = await Promise.all(Array.from({ length: 5 }, () => createRule(t.as(owner), { id, body: nft })));
    assert.equal(new Set(made.map((rule) => rule.id)).size, 5);
  });

  it('leave no trace when the transaction around them fails', async () => {
    const { owner, id } = await newCommunity(t);
    const halfway = t.services.db.transaction({ owner: owner.userId }, async (tx) => {
      await createRule(contextFor(t.services, owner, tx), { id, body: nft });
      throw new Error('The process died here.');
    });
    await assert.rejects(halfway, /died here/);
    assert.deepEqual((await findRules(t.as(owner), { id })).items, []);
    assert.deepEqual(await takeQueued(id), []);
  });
});
