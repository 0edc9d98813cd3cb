import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReasonLine } from '../../shared/why.tsx';
import { groupReasons } from './group-reasons.ts';

const line = (depth: number, outcome: ReasonLine['outcome'], text: string, found?: string): ReasonLine => ({
  depth,
  outcome,
  text,
  ...(found !== undefined && { found }),
});
const change = (action: 'grant' | 'revoke', lines: ReasonLine[], words: string[] = []) => ({
  roleId: '1',
  roleName: 'Holder',
  action,
  lines,
  words,
});
const poor = (found: string) =>
  change('revoke', [
    line(0, 'not-met', 'Rule “Coins”'),
    line(1, 'not-met', 'All of these'),
    line(2, 'met', 'At least 1 KEY'),
    line(2, 'not-met', 'At least 1,000,000 COIN', found),
  ]);

test('members who lack the same thing are one group, with what was found instead', () => {
  const [group, ...others] = groupReasons([poor('Holds some.'), poor('Has no wallet.'), poor('Holds some.')]);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [group?.members, group?.why, group?.found],
    [3, 'needs at least 1,000,000 COIN', ['Holds some.', 'Has no wallet.']],
  );
});

test('the largest group is first, and grants are apart from removals', () => {
  const rich = change('grant', [line(0, 'met', 'Rule “Coins”'), line(1, 'met', 'At least 1 KEY')]);
  const groups = groupReasons([poor('a'), rich, rich]);
  assert.deepEqual(
    groups.map(({ action, members, why }) => [action, members, why]),
    [
      ['grant', 2, 'has at least 1 KEY'],
      ['revoke', 1, 'needs at least 1,000,000 COIN'],
    ],
  );
});

test('reasons without conditions, and negated ones, are grouped by their sentences', () => {
  const guest = change('grant', [line(0, 'met', 'A guest pass gives this role')]);
  const negated = change(
    'revoke',
    [line(0, 'not-met', 'Rule “No bots”'), line(1, 'not-met', 'None of these'), line(2, 'met', 'A BOT token')],
    ['The rule forbids a BOT token.'],
  );
  assert.deepEqual(
    groupReasons([guest, negated, change('revoke', [])]).map(({ why }) => why),
    ['A guest pass gives this role', 'The rule forbids a BOT token.', 'no reason is recorded'],
  );
});
