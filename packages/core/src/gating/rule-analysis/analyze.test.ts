import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openRules } from '../evaluation/index.ts';
import { readRule } from '../rules/index.ts';
import { compareRules, findProblems, proveRequired } from './index.ts';

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

const kindsIn = (...definitions: object[]) => findProblems(rulesOf(...definitions)).map(({ kind }) => kind);

async function compare(before: object[], after: object[], mostNodes = 10_000) {
  const roles = await compareRules(rulesOf(...before), rulesOf(...after), { mostNodes });
  const found = roles.find((role) => role.roleId === 'member');
  return [found?.noGains.kind, found?.noLosses.kind];
}

describe('problems of rules', () => {
  test('ordinary rules have none', () => {
    assert.deepEqual(kindsIn(coins('1'), someCats('1')), []);
    assert.deepEqual(kindsIn(logic({ and: [coins('100'), { not: someCats('5') }] })), []);
  });

  test('a rule that no wallet can meet is impossible', () => {
    assert.deepEqual(kindsIn(logic({ and: [coins('1', summed), { not: coins('0', summed) }] })), ['impossible']);
    assert.deepEqual(kindsIn(logic({ and: [coins('5', summed), coins('1', { ...summed, maxToken: '4' })] })), [
      'impossible',
    ]);
    // Two wallets can hold what one cannot.
    assert.deepEqual(kindsIn(logic({ and: [coins('5'), coins('1', { maxToken: '4' })] })), []);
  });

  test('an amount between two whole numbers exists for coins only', () => {
    const between = (part: (min: string, more?: object) => object) =>
      logic({ and: [part('1.2', { ...summed, maxToken: '1.8' })] });
    assert.deepEqual(kindsIn(between(coins)), []);
    assert.deepEqual(kindsIn(between(someCats)), ['impossible']);
  });

  test('a rule that every member with a wallet meets is always met', () => {
    assert.deepEqual(kindsIn(coins('0')), ['always-met']);
    assert.deepEqual(kindsIn(logic({ or: [coins('3'), coins('0', { maxToken: '3' })] })), ['always-met']);
  });

  test('a rule is redundant when another of the same role admits all of its members', () => {
    assert.deepEqual(findProblems(rulesOf(coins('100'), coins('10'))), [
      { kind: 'redundant', ruleId: 'rule-1', otherRuleIds: ['rule-2'] },
    ]);
    assert.deepEqual(kindsIn(coins('100'), { ...coins('10'), roleId: 'other' }), []);
  });

  test('a condition without effect is named by its place', () => {
    const [found] = findProblems(rulesOf(logic({ and: [coins('10'), { or: [someCats('1'), someCats('3')] }] })));
    assert.deepEqual([found?.kind, found?.kind === 'no-effect' && found.path], ['no-effect', [1, 1]]);
  });

  test('what was held for long is not above what is held now', () => {
    const since = { variables: { _heldForSeconds: 2_592_000 } };
    assert.deepEqual(kindsIn(coins('10', since), coins('10')), ['redundant']);
  });

  test('roles that follow from each other are cyclic', () => {
    const composition = (roleId: string, other: string) => ({
      scheme: 'role_composition',
      roleId,
      variables: { roleComposition: { action: 'add', operator: 'and', condition: { [other]: true }, roleId } },
    });
    assert.deepEqual(findProblems(rulesOf(composition('a', 'b'), composition('b', 'a'))), [
      { kind: 'cyclic', roleIds: ['a', 'b'] },
    ]);
  });

  test('a rule that is too large is said to be', () => {
    const parts = Array.from({ length: 16 }, (_, n) => ({
      atLeast: 6,
      of: Array.from({ length: 12 }, (__, m) =>
        someCats(String(1 + ((n * 7 + m * 5) % 11)), {
          contractAddress: `0x${String((n * m) % 60).padStart(40, '3')}`,
        }),
      ),
    }));
    assert.deepEqual(kindsIn(logic({ or: parts })), ['too-large']);
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
    const veto = {
      scheme: 'role_composition',
      roleId: 'member',
      variables: {
        roleComposition: { action: 'remove', operator: 'and', condition: { muted: true }, roleId: 'member' },
      },
    };
    assert.deepEqual(await compare([coins('1')], [coins('1'), veto]), ['proven', 'disproven']);
  });

  test('a rule that cannot be read leaves its role unproven', async () => {
    assert.deepEqual(await compare([coins('1')], [coins('1'), { type: 'NO_SUCH_KIND' }]), ['unproven', 'unproven']);
  });
});

test('what every holder of a role must meet is proven, or disproven by an example', async () => {
  const { condition } = readRule({ ...someCats('1'), roleId: 'member' });
  const rules = rulesOf(logic({ and: [someCats('2'), coins('1')] }));
  assert.deepEqual(await proveRequired(rules, 'member', condition), { kind: 'proven' });
  const answer = await proveRequired(rulesOf(coins('1'), someCats('2')), 'member', condition);
  assert.equal(answer.kind, 'disproven');
});
