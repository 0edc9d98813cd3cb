import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openRules } from '../evaluation/index.ts';
import { readRule } from '../rules/index.ts';
import { analyzeRules, compareRules, directionOf, proveRequired, shareEffort } from './index.ts';

const coin = { type: 'ERC20', chainId: 1, contractAddress: `0x${'1'.repeat(40)}` };
const cats = { type: 'ERC721', chainId: 1, contractAddress: `0x${'2'.repeat(40)}` };
const logic = (rule: object) => ({ scheme: 'logic', variables: { rule } });
const coins = (minToken: string, more: object = {}) => ({ ...coin, minToken, variables: {}, ...more });
const someCats = (minToken: string, more: object = {}) => ({ ...cats, minToken, variables: {}, ...more });
const summed = { variables: { _sumWallets: true } };

/** The rules of a community, each for the role `member` unless it names another. */
function rulesOf(...definitions: object[]) {
  return openRules(
    definitions.map((definition, index) => {
      const { roleId = 'member' } = definition as { roleId?: string };
      return { id: `rule-${index + 1}`, role_id: roleId, definition: { ...definition, roleId } };
    }),
  );
}

const composition = (
  roleId: string,
  action: 'add' | 'remove' | 'addOrRemove' | 'removeOrAdd',
  condition: Record<string, boolean>,
) => ({
  scheme: 'role_composition',
  roleId,
  variables: { roleComposition: { action, operator: 'and', condition, roleId } },
});

/** A rule that takes more steps than a question may. */
function tooLarge() {
  const parts = Array.from({ length: 16 }, (_, n) => ({
    atLeast: 6,
    of: Array.from({ length: 12 }, (__, m) =>
      someCats(String(1 + ((n * 7 + m * 5) % 11)), {
        contractAddress: `0x${String((n * m) % 60).padStart(40, '3')}`,
      }),
    ),
  }));
  return logic({ or: parts });
}

async function kindsIn(...definitions: object[]) {
  return (await analyzeRules(rulesOf(...definitions))).map(({ kind }) => kind);
}

async function compare(before: object[], after: object[], mostNodes = 100_000) {
  const roles = await compareRules(rulesOf(...before), rulesOf(...after), { mostNodes });
  const found = roles.find((role) => role.roleId === 'member');
  return [found?.noGains.kind, found?.noLosses.kind];
}

describe('problems of rules', () => {
  test('ordinary rules have none', async () => {
    assert.deepEqual(await kindsIn(coins('1'), someCats('1')), []);
    assert.deepEqual(await kindsIn(logic({ and: [coins('100'), { not: someCats('5') }] })), []);
  });

  test('a rule that no wallet can meet is impossible', async () => {
    assert.deepEqual(await kindsIn(logic({ and: [coins('1', summed), { not: coins('0', summed) }] })), ['impossible']);
    assert.deepEqual(await kindsIn(logic({ and: [coins('5', summed), coins('1', { ...summed, maxToken: '4' })] })), [
      'impossible',
    ]);
    // Two wallets can hold what one cannot.
    assert.deepEqual(await kindsIn(logic({ and: [coins('5'), coins('1', { maxToken: '4' })] })), []);
  });

  test('what wallets hold together is held by some of them', async () => {
    const together = someCats('1', { ...summed, maxToken: '2' });
    assert.deepEqual(await kindsIn(logic({ and: [together, { not: someCats('1', { maxToken: '4' }) }] })), [
      'impossible',
    ]);
    // With 3 cats together, no wallet needs to have 2.
    const three = someCats('3', { ...summed, maxToken: '3' });
    assert.deepEqual(await kindsIn(logic({ and: [three, { not: someCats('2', { maxToken: '4' }) }] })), []);
    // Coins can be spread over wallets that have less than 1 each.
    assert.deepEqual(await kindsIn(logic({ and: [coins('2', summed), { not: coins('1') }] })), []);
  });

  test('an amount between two whole numbers exists for coins only', async () => {
    const between = (part: (min: string, more?: object) => object) =>
      logic({ and: [part('1.2', { ...summed, maxToken: '1.8' })] });
    assert.deepEqual(await kindsIn(between(coins)), []);
    assert.deepEqual(await kindsIn(between(someCats)), ['impossible']);
  });

  test('a rule that every member with a wallet meets is always met', async () => {
    assert.deepEqual(await kindsIn(coins('0')), ['always-met']);
    assert.deepEqual(await kindsIn(logic({ or: [coins('3'), coins('0', { maxToken: '3' })] })), ['always-met']);
  });

  test('a rule is redundant when another of the same role admits all of its members', async () => {
    assert.deepEqual(await analyzeRules(rulesOf(coins('100'), coins('10'))), [
      { kind: 'redundant', ruleId: 'rule-1', otherRuleIds: ['rule-2'] },
    ]);
    assert.deepEqual(await kindsIn(coins('100'), { ...coins('10'), roleId: 'other' }), []);
  });

  test('a condition without effect is named by its place', async () => {
    const [found] = await analyzeRules(rulesOf(logic({ and: [coins('10'), { or: [someCats('1'), someCats('3')] }] })));
    assert.deepEqual([found?.kind, found?.kind === 'no-effect' && found.path], ['no-effect', [1, 1]]);
  });

  test('what was held for long is not above what is held now', async () => {
    const since = { variables: { _heldForSeconds: 2_592_000 } };
    assert.deepEqual(await kindsIn(coins('10', since), coins('10')), ['redundant']);
  });

  test('a rule is redundant when others together admit all of its members', async () => {
    const between = (min: string, max: string) => coins(min, { ...summed, maxToken: max });
    const found = await analyzeRules(rulesOf(between('2', '8'), between('1', '5'), between('4', '9'), someCats('1')));
    assert.deepEqual(found, [{ kind: 'redundant', ruleId: 'rule-1', otherRuleIds: ['rule-2', 'rule-3'] }]);
  });

  test('a rule is shadowed when compositions decide its role for everyone who meets it', async () => {
    const holder = { ...coins('1'), roleId: 'holder' };
    const [found] = await analyzeRules(rulesOf(coins('10'), holder, composition('member', 'remove', { holder: true })));
    assert.deepEqual(found, { kind: 'shadowed', ruleId: 'rule-1', roleId: 'member' });
    assert.deepEqual(
      await kindsIn(coins('1'), { ...holder, minToken: '10' }, composition('member', 'remove', { holder: true })),
      [],
    );
  });

  test('compositions that give and take a role are contradictory if a member can meet both, who is named', async () => {
    const [some, many] = [
      { ...coins('1'), roleId: 'some' },
      { ...coins('10'), roleId: 'many' },
    ];
    const give = composition('member', 'add', { some: true });
    const [found] = await analyzeRules(rulesOf(some, many, give, composition('member', 'remove', { many: true })));
    assert.ok(found?.kind === 'contradictory');
    const [wallet] = found.example.wallets;
    assert.deepEqual([found.roleId, wallet?.holdings.map(({ amount }) => amount)], ['member', ['10']]);
    assert.deepEqual(await kindsIn(some, many, give, composition('member', 'remove', { some: false, many: true })), []);
  });

  test('roles that follow from each other are cyclic', async () => {
    assert.deepEqual(
      await analyzeRules(rulesOf(composition('a', 'add', { b: true }), composition('b', 'add', { a: true }))),
      [{ kind: 'cyclic', roleIds: ['a', 'b'] }],
    );
  });

  test('a rule that is too large is said to be, with its size', async () => {
    const [found] = await analyzeRules(rulesOf(tooLarge()));
    assert.deepEqual(found, {
      kind: 'too-large',
      ruleId: 'rule-1',
      size: { conditions: 192, subjects: 40 },
    });
  });

  test('a question that others left too little effort for is not called too large', async () => {
    const set = rulesOf(coins('5'));
    const required = { condition: readRule(coins('4')).condition };
    assert.deepEqual(await proveRequired(set, 'member', required, { effort: { stepsLeft: 1 } }), {
      kind: 'unproven',
      reason: 'no-effort-left',
    });
    assert.equal((await proveRequired(set, 'member', required)).kind, 'proven');
  });

  test('one large question leaves the others their share of the effort', async () => {
    const share = shareEffort(900_000, (stepsLeft) => stepsLeft / 2);
    const large = rulesOf(tooLarge());
    const required = { condition: readRule(coins('4')).condition };
    const first = await share((effort) => proveRequired(large, 'member', required, { effort }));
    assert.ok(first.kind === 'unproven' && first.reason === 'too-large');
    const second = await share((effort) => proveRequired(rulesOf(coins('5')), 'member', required, { effort }));
    assert.equal(second.kind, 'proven');
  });

  test('a set is given up bit by bit, not as a whole', async () => {
    const rules = rulesOf(coins('0'), { ...coins('0'), roleId: 'other' });
    const found = await analyzeRules(rules, { effort: { stepsLeft: 0 } });
    assert.deepEqual(
      found.map((finding) => finding.kind === 'too-large' && 'ruleId' in finding && finding.ruleId),
      ['rule-1', 'rule-2'],
    );
  });
});

describe('comparing rules', () => {
  test('a higher bound lets no member in and locks some out, with an example', async () => {
    const [role] = await compareRules(rulesOf(coins('10')), rulesOf(coins('100')));
    assert.equal(role?.noGains.kind, 'proven');
    assert.ok(role?.noLosses.kind === 'disproven');
    const [wallet] = role.noLosses.example.wallets;
    assert.deepEqual([wallet?.chain, wallet?.holdings.map(({ amount }) => amount)], ['evm:1', ['10']]);
  });

  test('another way to write the same changes nothing', async () => {
    const before = [logic({ not: { or: [coins('10'), someCats('2')] } })];
    const after = [logic({ and: [{ not: someCats('2') }, { not: coins('10') }] })];
    assert.deepEqual(await compare(before, after), ['proven', 'proven']);
    assert.deepEqual(await compare([coins('10'), someCats('1')], [logic({ or: [someCats('1'), coins('10')] })]), [
      'proven',
      'proven',
    ]);
  });

  test('60 of 200 implies 50 of 200', async () => {
    const of = Array.from({ length: 200 }, (_, n) =>
      someCats('1', { contractAddress: `0x${String(n).padStart(40, '4')}` }),
    );
    const atLeast = (count: number) => [logic({ atLeast: count, of })];
    assert.deepEqual(await compare(atLeast(60), atLeast(50), 150_000), ['disproven', 'proven']);
  });

  test('some tokens of a collection are not above all of them', async () => {
    assert.deepEqual(await compare([someCats('2')], [someCats('2', { tokenId: '1-100' })]), ['proven', 'disproven']);
  });

  test('compositions count as they are applied', async () => {
    const veto = composition('member', 'remove', { muted: true });
    assert.deepEqual(await compare([coins('1')], [coins('1'), veto]), ['proven', 'disproven']);
  });

  test('rule sets are equal, admit more or fewer members, or others', async () => {
    const other = (rule: object) => ({ ...rule, roleId: 'other' });
    const base = [coins('10'), other(someCats('1'))];
    const directions: [object[], string][] = [
      [[other(someCats('1')), coins('10')], 'equal'],
      [[coins('5'), other(someCats('1'))], 'more'],
      [[coins('10')], 'less'],
      [[coins('5'), other(someCats('2'))], 'incomparable'],
      [[coins('5'), { type: 'NO_SUCH_KIND', roleId: 'other' }], 'unproven'],
    ];
    for (const [after, direction] of directions) {
      const roles = await compareRules(rulesOf(...base), rulesOf(...after));
      assert.equal(directionOf(roles), direction);
    }
  });

  test('a rule that cannot be read leaves its role unproven', async () => {
    assert.deepEqual(await compare([coins('1')], [coins('1'), { type: 'NO_SUCH_KIND' }]), ['unproven', 'unproven']);
  });
});

describe('what a role requires', () => {
  const { condition } = readRule({ ...someCats('1'), roleId: 'member' });

  test('is proven, or disproven by an example', async () => {
    const rules = rulesOf(logic({ and: [someCats('2'), coins('1')] }));
    assert.deepEqual(await proveRequired(rules, 'member', { condition }), { kind: 'proven' });
    const answer = await proveRequired(rulesOf(coins('1'), someCats('2')), 'member', { condition });
    assert.equal(answer.kind, 'disproven');
  });

  test('can be another role, which rules decide or the member has', async () => {
    const verified = { ...someCats('1'), roleId: 'verified' };
    const isVerified = { roleId: 'verified' };
    assert.equal((await proveRequired(rulesOf(someCats('2'), verified), 'member', isVerified)).kind, 'proven');
    assert.equal((await proveRequired(rulesOf(coins('2'), verified), 'member', isVerified)).kind, 'disproven');
    const composed = rulesOf(coins('1'), composition('member', 'remove', { verified: false }));
    assert.equal((await proveRequired(composed, 'member', isVerified)).kind, 'proven');
    const answer = await proveRequired(rulesOf(coins('1')), 'member', isVerified);
    assert.deepEqual(answer.kind === 'disproven' && answer.example.roles, [{ roleId: 'verified', isHeld: false }]);
  });

  test('is not broken by a rule that cannot be read, since it gives nothing', async () => {
    const rules = rulesOf(someCats('2'), { type: 'NO_SUCH_KIND' });
    assert.deepEqual(await proveRequired(rules, 'member', { condition }), { kind: 'proven' });
  });
});
