import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Identified, matchRules } from './match.ts';

const rule = (id: string | undefined, name: string | undefined, roleId: string, sign = `${name} ${roleId}`) => ({
  id,
  name,
  roleId,
  sign,
});
const found = (existing: Identified[], wanted: Identified[]) => matchRules(existing, wanted).map((one) => one?.id);

test('an id decides before anything else, and an id of nothing does not', () => {
  const existing = [rule('1', 'A', 'r'), rule('2', 'B', 's')];
  assert.deepEqual(found(existing, [rule('2', 'A', 'r')]), ['2']);
  assert.deepEqual(found(existing, [rule('9', 'B', 't')]), ['2']);
});

test('equal rules without names are matched one to one, and the rest is new', () => {
  const existing = [rule('1', undefined, 'r', 'x'), rule('2', undefined, 'r', 'x')];
  const wanted = [1, 2, 3].map(() => rule(undefined, undefined, 'r', 'x'));
  assert.deepEqual(found(existing, wanted), ['1', '2', undefined]);
});

test('an edited rule is known by its name, whatever role it gives now', () => {
  const existing = [rule('1', 'A', 'r', 'old'), rule('2', 'B', 's', 'kept')];
  assert.deepEqual(found(existing, [rule(undefined, 'A', 's', 'new'), rule(undefined, 'B', 's', 'kept')]), ['1', '2']);
});

test('a renamed rule is known by being the only one of its role that is left', () => {
  const existing = [rule('1', 'A', 'r'), rule('2', 'B', 's')];
  assert.deepEqual(found(existing, [rule(undefined, 'C', 'r'), rule(undefined, 'B', 's')]), ['1', '2']);
  const two = [rule('1', 'A', 'r'), rule('2', 'B', 'r')];
  assert.deepEqual(found(two, [rule(undefined, 'C', 'r')]), [undefined], 'which of the two it was is unknown');
});

test('a name that several have says nothing', () => {
  const existing = [rule('1', 'A', 'r', '1'), rule('2', 'A', 's', '2'), rule('3', '', 't', '3')];
  assert.deepEqual(found(existing, [rule(undefined, 'A', 'x', '4'), rule(undefined, '', 'y', '5')]), [
    undefined,
    undefined,
  ]);
});
