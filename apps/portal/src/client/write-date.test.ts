import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writtenDates } from './write-date.ts';

test('a day of a post is written as the build writes it, in every month', () => {
  const format = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
  for (let month = 0; month < 12; month += 1) {
    const date = new Date(Date.UTC(2026, month, month * 2 + 1, 23, 59));
    assert.equal(writtenDates.format(date), format.format(date));
  }
});
