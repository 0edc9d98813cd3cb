import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Actor } from '@latchkey/kernel';
import { newCommunity } from '../../communities/community/testing.ts';
import { selectRetiredRoles, selectRules } from '../../communities/rule-records/index.ts';
import { operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { applyBrakes, applyRuleSet, getRuleSet, planRuleSet } from './index.ts';
import type { WantedRuleSet } from './shapes.ts';

const contract = (digit: string) => `0x${digit.repeat(40)}`;
const rule = (name: string, digit: string, roleId = 'gold', more = {}) => ({
  rule: { name, type: 'ERC20', chainId: 1, contractAddress: contract(digit), minToken: '1', roleId, ...more },
});
const composition = (name: string, action: string) => ({
  rule: {
    name,
    scheme: 'role_composition',
    roleId: 'silver',
    variables: { roleComposition: { action, operator: 'and', condition: { gold: true } } },
  },
});

describe('a rule set', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('rule-sets');
  });
  after(() => t.close());

  async function settle() {
    const { owner, id: communityId } = await newCommunity(t);
    const ctx = t.as(owner);
    const get = () => getRuleSet(ctx, { communityId });
    const names = async () =>
      (await selectRules(t.services.db.system, communityId)).map(({ definition }) => definition.name);
    /** Applies to whatever there is. */
    const put = async (wanted: WantedRuleSet) =>
      applyRuleSet(ctx, { communityId, body: { ...wanted, version: (await get()).version } });
    return { owner, communityId, ctx, get, names, put };
  }

  test('is applied as a whole: one bad rule keeps the others out', async () => {
    const { communityId, ctx, names, put } = await settle();
    const bad = rule('Bad', '2', 'gold', { minToken: 'many' });
    const body = { rules: [rule('Good', '1'), bad], unlisted: 'keep' as const };
    const { problems } = await planRuleSet(ctx, { communityId, body });
    assert.deepEqual(
      problems.map(({ path }) => path),
      ['/rules/1/rule/minToken'],
    );
    await assert.rejects(put(body), {
      code: 'VALIDATION_FAILED',
      message: /\/rules\/1\/rule\/minToken/,
    });
    assert.deepEqual(await names(), []);
  });

  test('is refused once anything of it was changed, and its version is that of what it says', async () => {
    const { communityId, ctx, get, names } = await settle();
    const { version } = await get();
    const first = await applyRuleSet(ctx, {
      communityId,
      body: { version, rules: [rule('A', '1')], unlisted: 'keep' },
    });
    assert.equal(first.version, (await get()).version);
    await assert.rejects(applyRuleSet(ctx, { communityId, body: { version, rules: [], unlisted: 'delete' } }), {
      code: 'STATE_CONFLICT',
    });
    assert.deepEqual(await names(), ['A']);
    const back = await applyRuleSet(ctx, {
      communityId,
      body: { version: first.version, rules: [], unlisted: 'delete' },
    });
    assert.equal(back.version, version);
  });

  test('keeps the ids of edited rules, and puts all of them in order', async () => {
    const { get, names, put: putSet } = await settle();
    const put = (rules: object[], unlisted: 'keep' | 'delete' = 'delete') =>
      putSet({ rules: rules as never, unlisted });
    await put([rule('A', '1'), rule('B', '2'), composition('C', 'add'), composition('D', 'remove')]);
    const before = (await get()).rules;
    const { changes } = await put([
      rule('B', '2'),
      rule('A', '3'),
      composition('D', 'remove'),
      composition('C', 'add'),
    ]);
    assert.deepEqual(
      changes.map(({ part, kind, name }) => [part, kind, name]),
      [
        ['rule', 'change', 'A'],
        ['order', 'change', undefined],
      ],
    );
    assert.deepEqual(await names(), ['B', 'A', 'D', 'C']);
    const afterwards = (await get()).rules;
    assert.deepEqual(afterwards.map(({ id }) => id).toSorted(), before.map(({ id }) => id).toSorted());
    assert.deepEqual(
      (await put([rule('B', '2'), rule('A', '3'), composition('D', 'remove'), composition('C', 'add')])).changes,
      [],
    );
  });

  test('leaves unlisted rules, deletes them, or takes their roles too, as asked', async () => {
    const { communityId, names, put: putSet } = await settle();
    const put = (unlisted: 'keep' | 'delete' | 'delete-and-take', ...rules: ReturnType<typeof rule>[]) =>
      putSet({ rules, unlisted });
    await put('keep', rule('A', '1'), rule('B', '2', 'silver'));
    await put('keep', rule('A', '1'));
    assert.deepEqual(await names(), ['A', 'B']);
    await put('delete', rule('A', '1'));
    assert.deepEqual([await names(), await selectRetiredRoles(t.services.db.system, communityId)], [['A'], []]);
    await put('delete-and-take');
    assert.deepEqual([await names(), await selectRetiredRoles(t.services.db.system, communityId)], [[], ['gold']]);
  });

  test('lets nobody change the brakes who was not present lately', async () => {
    const { communityId, owner, get } = await settle();
    const { version, brakesVersion } = await get();
    const body = { version: brakesVersion, brakes: { approvers: 2, roles: [] } };
    await assert.rejects(applyBrakes(t.as(owner), { communityId, body }), { code: 'PRESENCE_REQUIRED' });
    const { changes } = await applyBrakes(t.as(operator), { communityId, body });
    assert.deepEqual(
      changes.map(({ part, fields }) => [part, fields]),
      [['brakes', ['approvers']]],
    );
    assert.equal((await get()).brakes.approvers, 2);
    assert.equal((await get()).version, version, 'a plan of the rules still fits');
    assert.deepEqual((await applyBrakes(t.as(operator), { communityId, body })).changes, [], 'they are as wanted');
    const outdated = { version: brakesVersion, brakes: { approvers: 1, roles: [] } };
    await assert.rejects(applyBrakes(t.as(operator), { communityId, body: outdated }), { code: 'STATE_CONFLICT' });
  });

  test('answers a repeated request, although its version is another one since', async () => {
    const { communityId, ctx, get } = await settle();
    const { version } = await get();
    const body = { version, rules: [rule('A', '1')], unlisted: 'keep' as const };
    const first = await applyRuleSet(ctx, { communityId, body });
    const again = await applyRuleSet(ctx, { communityId, body });
    assert.deepEqual(again, { version: first.version, changes: [] });
  });

  test('refuses ids that two rules have, and ids that no rule has', async () => {
    const { get, names, put } = await settle();
    await put({ rules: [rule('A', '1')], unlisted: 'keep' });
    const id = (await get()).rules[0]?.id ?? '';
    const twice = [
      { id, ...rule('A', '1') },
      { id, ...rule('B', '2') },
    ];
    await assert.rejects(put({ rules: twice, unlisted: 'delete' }), /Rules 1 and 2 have the same id\./);
    const gone = [{ id: 'TPC#gone', ...rule('A', '1') }];
    await assert.rejects(put({ rules: gone, unlisted: 'delete' }), /There is no rule with the id TPC#gone\./);
    assert.deepEqual(await names(), ['A']);
  });

  test('what the file leaves out stays as it is', async () => {
    const { get, put } = await settle();
    await put({ rules: [rule('A', '1')], settings: { checkPeriodSeconds: 7200 }, unlisted: 'delete' });
    const before = await get();
    const { changes } = await put({ unlisted: 'delete-and-take' });
    assert.deepEqual([changes, await get()], [[], before]);
    assert.deepEqual(before.settings, { checkPeriodSeconds: 7200 });
  });

  test('holds its rules to its assertions: a plan names the broken one, and nothing is applied', async () => {
    const { communityId, ctx, get, names, put } = await settle();
    const holds = (minToken: string) => ({ type: 'ERC20', chainId: 1, contractAddress: contract('1'), minToken });
    const never = (minToken: string) => ({
      name: 'Gold holds',
      never: { role: 'gold', unless: { holds: holds(minToken) } },
    });
    const rules = [rule('A', '1', 'gold', { minToken: '50' })];
    const bad = { rules, assertions: [never('51')], unlisted: 'delete' as const };
    const { changes, problems } = await planRuleSet(ctx, { communityId, body: bad });
    assert.deepEqual(
      changes.map(({ part, kind, after }) => [part, kind, after?.replace(/ .*without/, ' … without')]),
      [
        ['rule', 'create', changes[0]?.after?.replace(/ .*without/, ' … without')],
        ['assertion', 'create', 'No … without at least 51 ERC20 0x1111…1111 on Ethereum.'],
      ],
    );
    assert.equal(problems[0]?.path, '/assertions/0');
    assert.match(problems[0]?.message ?? '', /“Gold holds” does not hold: members can get .*holds 50 /);
    await assert.rejects(put(bad), /“Gold holds” does not hold/);
    assert.deepEqual([await names(), (await get()).assertions], [[], []]);

    const good = { ...bad, assertions: [never('50')] };
    const { version } = await put(good);
    assert.deepEqual((await get()).assertions, [never('50')]);
    assert.deepEqual(await put(good), { version, changes: [] });
    const weaker = { rules: [rule('A', '1', 'gold', { minToken: '5' })], unlisted: 'delete' as const };
    const planned = await planRuleSet(ctx, { communityId, body: weaker });
    assert.match(planned.problems[0]?.message ?? '', /“Gold holds” does not hold/, 'also where the file has none');
    await assert.rejects(put(weaker), /“Gold holds” does not hold/);

    const edited = await put({ ...weaker, assertions: [never('5')] });
    assert.deepEqual(
      edited.changes.map(({ part, kind, fields }) => [part, kind, fields]),
      [
        ['rule', 'change', ['minToken']],
        ['assertion', 'change', ['never']],
      ],
    );
    const unlisted = await planRuleSet(ctx, { communityId, body: { assertions: [], unlisted: 'keep' } });
    assert.deepEqual(
      unlisted.changes.map(({ part, kind, name }) => [part, kind, name]),
      [['assertion', 'unlisted', 'Gold holds']],
    );
    const removed = await put({ assertions: [], unlisted: 'delete' });
    assert.deepEqual([removed.changes.map(({ kind }) => kind), (await get()).assertions], [['delete'], []]);
  });

  test('refuses assertions that say nothing, and more than a community can have', async () => {
    const { communityId, ctx, put } = await settle();
    const odd = { never: { role: 'gold', unless: { role: 'gold' } } };
    const plan = (assertions: WantedRuleSet['assertions']) =>
      planRuleSet(ctx, { communityId, body: { assertions, unlisted: 'keep' } });
    assert.deepEqual(
      (await plan([odd])).problems.map(({ path }) => path),
      ['/assertions/0/never/unless/role'],
    );
    const many = (prefix: string) =>
      Array.from({ length: 11 }, (_, n) => ({ never: { role: `${prefix}${n}`, unless: { role: 'silver' } } }));
    await put({ assertions: many('a'), unlisted: 'keep' });
    assert.deepEqual(
      (await plan(many('b'))).problems.map(({ path }) => path),
      ['/assertions'],
    );
    await assert.rejects(put({ assertions: many('b'), unlisted: 'keep' }), { code: 'VALIDATION_FAILED' });
  });

  test('is written in the name of the application that was granted it', async () => {
    const { communityId, get } = await settle();
    const { version } = await get();
    const client = { id: 'ci', name: 'CI', allowedScopes: ['rules:apply'], disallowedScopes: [] };
    const actor: Actor = { kind: 'client', credential: 'api-key', client };
    await applyRuleSet(t.as(actor), { communityId, body: { version, rules: [rule('A', '1')], unlisted: 'keep' } });
    const [change] = await t.services.db.system
      .selectFrom('community_rule_changes')
      .select('changed_by')
      .where('community_id', '=', communityId)
      .execute();
    assert.match(change?.changed_by ?? '', /ci/);
  });
});
