import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Series, sinceFirstDay } from './since-first-day.ts';

const quiet = { given: 0, taken: 0, joined: 0, left: 0 };
const series = (days: readonly Partial<Series['days'][number]>[]): Series => ({
  communityId: 'DIS#COMM#1',
  days: days.map((day, index) => ({ date: `2026-03-0${index + 1}`, ...quiet, ...day })),
  roles: [{ roleId: '1', holders: days.map((_day, index) => index) }],
});
const shown = (days: readonly Partial<Series['days'][number]>[]) => {
  const { days: left, roles } = sinceFirstDay(series(days));
  return [left.map(({ date }) => date.at(-1)).join(''), roles[0]?.holders];
};

test('charts begin with the first day on which something was counted', () => {
  assert.deepEqual(shown([{}, {}, { members: 3 }, {}, {}]), ['345', [2, 3, 4]]);
  assert.deepEqual(shown([{}, { joined: 1 }, { members: 3 }, {}]), ['234', [1, 2, 3]]);
  assert.deepEqual(shown([{ members: 0 }, {}, {}]), ['123', [0, 1, 2]]);
});

test('charts keep two days at least', () => {
  assert.deepEqual(shown([{}, {}, {}, { members: 3 }]), ['34', [2, 3]]);
  assert.deepEqual(shown([{}, {}, {}]), ['23', [1, 2]]);
  assert.deepEqual(shown([{}]), ['1', [0]]);
});
