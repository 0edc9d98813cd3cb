import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LeafReason, Reason, RoleReason } from '../rules/index.ts';
import { conditionsOf } from './conditions.ts';
import { reasonInLines, reasonInWords } from './reason-in-words.ts';
import type { ReasonNames, ReasonReader } from './reason-names.ts';

const wallet = '0x00000000000000000000000000000000000000f1';
const asset = 'evm:1/ERC20:0x00000000000000000000000000000000000000aa';
const names: ReasonNames = {
  role: (id) => ({ r1: 'Gold', r2: 'Muted' })[id] ?? id,
  rule: (id) => ({ TPC1: 'Cat club', TPC2: 'Inner circle' })[id],
  visibility: (id) => (id === 'TPC2' ? 'secret' : 'public'),
  token: (name) => (name === asset ? 'CAT on Ethereum' : name),
};

function leaf(truth: LeafReason['truth'], value?: string, more: Partial<LeafReason> = {}): LeafReason {
  const readings = [{ wallet, chain: 'evm:1', block: '77', truth, ...(value !== undefined && { value }) }];
  return { kind: 'leaf', truth, rule: 'ERC20', asset, needed: 'at least 2', readings, ...more };
}

function words(reason: Reason, reader: ReasonReader = 'self', id = 'TPC1'): string {
  const { truth } = reason;
  return reasonInWords({ truth, rules: [{ id, truth, reason }] } satisfies RoleReason, names, reader).join(' ');
}

describe('describing a reason', () => {
  test('names the rule and the token, and shows the member how much was found', () => {
    assert.equal(
      words(leaf('false', '1.5')),
      'The rule "Cat club" needs at least 2 CAT on Ethereum. Your linked wallets hold 1.5.',
    );
    assert.equal(words(leaf('true', '2')), 'The rule "Cat club" is met: at least 2 CAT on Ethereum.');
    assert.match(words(leaf('false', '0')), /hold none\.$/);
    assert.match(words(leaf('false', undefined, { readings: [] })), /You have no linked wallet that can hold it/);
    assert.match(words(leaf('unknown')), /CAT on Ethereum could not be read, so nothing changes\./);
  });

  test('shows no one else a wallet, a block or an exact balance', () => {
    const readings = [
      { wallet, vault: `${wallet}v`, chain: 'evm:1', block: '77', value: '1.23456789', truth: 'false' },
    ] as const;
    const telling: Reason[] = [
      leaf('false', '1.23456789', { readings: [...readings], note: `Nothing at ${wallet}.` }),
      leaf('false', undefined, { sum: '1.23456789', readings: [...readings] }),
      leaf('unknown', undefined, { readings: [...readings], note: `The node did not answer for ${wallet}.` }),
      { kind: 'and', truth: 'false', parts: [leaf('true', '9.87654321'), leaf('false', '1.23456789')] },
    ];
    for (const reason of telling) {
      const message = words(reason, 'other');
      for (const secret of [wallet, '1.23456789', '9.87654321', '77']) assert.ok(!message.includes(secret), message);
    }
    assert.match(words(leaf('false', '1.5'), 'other'), /The linked wallets hold some, but not enough\.$/);
    assert.match(words(leaf('false', '0.0'), 'other'), /hold none\.$/);
  });

  test('speaks of a member by name to an admin, and shows only the operator how much was found', () => {
    const ada = { member: 'ada', showsAmounts: false };
    assert.match(words(leaf('false', '1.5'), ada), /ada’s linked wallets hold some, but not enough\.$/);
    assert.match(words(leaf('false', '1.5'), { ...ada, showsAmounts: true }), /ada’s linked wallets hold 1\.5\.$/);
    assert.match(
      words(leaf('false', undefined, { readings: [] }), ada),
      /ada has no linked wallet that can hold it\.$/,
    );
  });

  test('draws the groups of a rule, with the amounts and why something could not be checked', () => {
    const unread = leaf('unknown', undefined, {
      readings: [{ wallet, chain: 'evm:1', truth: 'unknown', note: 'The node is down.' }],
    });
    const banned: Reason = { kind: 'not', truth: 'true', parts: [leaf('false', '0', { needed: 'at least 1' })] };
    const either: Reason = { kind: 'or', truth: 'unknown', parts: [leaf('false', '1.5'), unread] };
    const reason: Reason = { kind: 'and', truth: 'unknown', parts: [either, banned] };
    const [path] = conditionsOf({ truth: 'unknown', rules: [{ id: 'TPC1', truth: 'unknown', reason }] }, names);
    assert.deepEqual(
      path?.lines.map(({ depth, kind, state, need = '', amount, problem }) => [
        `${' '.repeat(depth)}${kind} ${need}`.trimEnd(),
        state,
        amount?.have,
        problem,
      ]),
      [
        ['all', 'unknown', undefined, undefined],
        [' any', 'unknown', undefined, undefined],
        ['  condition at least 2 CAT on Ethereum', 'not-met', '1.5', undefined],
        ['  condition at least 2 CAT on Ethereum', 'unknown', undefined, 'The node is down.'],
        [' none', 'met', undefined, undefined],
        ['  condition at least 1 CAT on Ethereum', 'met', undefined, undefined],
      ],
    );
    assert.ok(!JSON.stringify(path).includes(wallet));
  });

  test('joins the parts of a rule as the rule does, and includes those that decided', () => {
    const guest: LeafReason = {
      kind: 'leaf',
      truth: 'false',
      rule: 'GUEST',
      needed: 'a guest pass that counts',
      readings: [],
    };
    const both: Reason = { kind: 'and', truth: 'false', parts: [leaf('true', '5'), guest] };
    assert.equal(words(both), 'The rule "Cat club" needs at least 2 CAT on Ethereum and a guest pass that counts.');
    const none: Reason = { kind: 'not', truth: 'false', parts: [leaf('true', '5')] };
    assert.equal(
      words(none),
      'The rule "Cat club" needs none of these: at least 2 CAT on Ethereum. Your linked wallets hold it.',
    );
    const some: Reason = { kind: 'at-least', count: 2, truth: 'unknown', parts: [leaf('unknown'), guest] };
    assert.match(words(some), /at least 2 of these: at least 2 CAT on Ethereum; a guest pass that counts\. CAT on/);
    const nested: Reason = { kind: 'or', truth: 'false', parts: [both, leaf('false', '0', { needed: 'from 1 to 5' })] };
    assert.match(words(nested), /needs \(at least 2 CAT on Ethereum and a guest pass that counts\) or from 1 to 5 CAT/);
  });

  test('describes times, traits and queries in plain language', () => {
    const needs = (needed: string) => words(leaf('true', '2', { needed }));
    assert.match(
      needs('at least 2 in all wallets together, for 86400 seconds'),
      /2 CAT on Ethereum in all wallets together, for 1 day\./,
    );
    assert.match(needs('at least 1, for 5400 seconds'), /for 90 minutes/);
    assert.match(needs('at least 1, for 61 seconds'), /for 61 seconds/);
    assert.match(needs('tokens with the traits of the filter'), /the traits of the filter \(CAT on Ethereum\)/);
    assert.match(needs('2 of the owners'), /2 of the owners of CAT on Ethereum/);
    const query = needs('a yes to $count(tokens[secret = 1]) > 0');
    assert.ok(query.includes('match the rule’s query') && !query.includes('$count'), query);
  });

  test('shows a member only that a secret rule or condition exists', () => {
    const secret = leaf('false', '0', { concealed: 'secret' });
    assert.equal(words(secret, 'self', 'TPC2'), 'A hidden condition is not met.');
    assert.match(words(secret, 'other', 'TPC2'), /The rule "Inner circle" needs at least 2 CAT/);
    const both: Reason = { kind: 'and', truth: 'false', parts: [leaf('true', '5'), secret] };
    assert.equal(words(both), 'The rule "Cat club" needs at least 2 CAT on Ethereum and a hidden condition.');
    const hidden = leaf('true', '9', { concealed: 'hidden' });
    const met: Reason = { kind: 'and', truth: 'true', parts: [leaf('true', '5'), hidden] };
    assert.equal(words(met), 'The rule "Cat club" is met: at least 2 CAT on Ethereum.');
    const decisive: Reason = { kind: 'and', truth: 'false', parts: [leaf('true', '5'), { ...hidden, truth: 'false' }] };
    assert.match(words(decisive), /and a hidden condition\.$/);
    assert.equal(words(leaf('false', '0', { concealed: 'hidden' })), 'The rule "Cat club" needs a hidden condition.');
  });

  test('shows the rules that decided, at most three of them, and that there are more', () => {
    const failing = ['a', 'b', 'c', 'd', 'e'].map((id) => ({
      id,
      truth: 'false' as const,
      reason: leaf('false', '0'),
    }));
    const reply = reasonInWords({ truth: 'false', rules: failing } satisfies RoleReason, names, 'self');
    assert.deepEqual([reply.length, reply.at(-1)], [4, '2 more rules give this role.']);
    const met = { id: 'TPC1', truth: 'true' as const, reason: leaf('true', '2') };
    const one = reasonInWords({ truth: 'true', rules: [...failing, met] } satisfies RoleReason, names, 'self');
    assert.deepEqual(one, ['The rule "Cat club" is met: at least 2 CAT on Ethereum.']);
  });

  test('includes guest passes, other roles, undone change sets and unreadable rules', () => {
    const say = (reason: unknown) => reasonInWords(reason, names, 'other').join(' ');
    assert.equal(say({ truth: 'true', rules: [], isGuest: true }), 'A guest pass gives the member this role.');
    assert.equal(say({ undoes: 'p1' }), 'An admin undid an earlier change.');
    assert.match(say({ truth: 'false', rules: [], isOutranked: true }), /Replaced by another role/);
    const pending = { truth: 'true', rules: [], isAwaitingScreening: true };
    assert.equal(say(pending), 'Waiting for the member to accept the server’s rules.');
    const composition = { action: 'remove', roleId: 'r9', operator: 'and', condition: { r1: true, r2: false } };
    assert.equal(
      say({ truth: 'false', rules: [], compositions: [composition] }),
      'A rule about other roles decides last: with Gold and without Muted, this role must not be held.',
    );
    assert.equal(
      say({ truth: 'unknown', rules: [{ id: 'x', truth: 'unknown', problem: 'The rule names no contract.' }] }),
      'A rule cannot be evaluated: The rule names no contract.',
    );
  });

  test('handles reasons stored without accounts, and malformed ones', () => {
    const kept = { truth: 'false', rules: [{ id: 'TPC1', truth: 'false' }] };
    assert.deepEqual(reasonInWords(kept, names, 'self'), ['The rule "Cat club" was not met.']);
    for (const value of [undefined, null, 7, 'x', []]) assert.deepEqual(reasonInWords(value, names, 'self'), []);
    for (const value of [{}, { rules: 'x' }, { rules: [null, { reason: { kind: 'odd' } }] }, { compositions: [{}] }])
      assert.doesNotThrow(() => reasonInWords(value, names, 'self'));
  });

  test('is rendered as a tree too, which shows others equally little', () => {
    const reason: Reason = {
      kind: 'and',
      truth: 'false',
      parts: [leaf('true', '9.87654321'), { kind: 'not', truth: 'false', parts: [leaf('false', '1.23456789')] }],
    };
    const role = { truth: 'false', rules: [{ id: 'TPC1', truth: 'false', reason }] } satisfies RoleReason;
    const lines = reasonInLines(role, names, 'other');
    assert.deepEqual(
      lines.map(({ depth, outcome, text }) => [depth, outcome, text]),
      [
        [0, 'not-met', 'Rule “Cat club”'],
        [1, 'not-met', 'All of these'],
        [2, 'met', 'At least 2 CAT on Ethereum'],
        [2, 'not-met', 'None of these'],
        [3, 'not-met', 'At least 2 CAT on Ethereum'],
      ],
    );
    assert.match(lines[4]?.found ?? '', /hold some, but not enough/);
    for (const secret of [wallet, '9.87654321', '1.23456789', '77'])
      assert.ok(!JSON.stringify(lines).includes(secret), secret);
    assert.match(JSON.stringify(reasonInLines(role, names, 'self')), /1\.23456789/);
    assert.deepEqual(reasonInLines(undefined, names, 'self'), []);
    const guest = reasonInLines({ truth: 'true', rules: [], isGuest: true }, names, 'self');
    assert.deepEqual(guest, [{ depth: 0, outcome: 'met', text: 'A guest pass gives this role' }]);
  });
});
