import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestName } from './nearest-name.ts';

test('the closest candidate within the distance is meant', () => {
  const names = ['channels', 'channel', 'space'];
  assert.equal(nearestName('chanels', names, 2), 'channels');
  assert.equal(nearestName('SPACE', names, 1), 'space');
  assert.equal(nearestName('organization', names, 3), undefined);
  assert.equal(nearestName('x'.repeat(100_000), ['x'.repeat(100_000)], 3), undefined);
});
