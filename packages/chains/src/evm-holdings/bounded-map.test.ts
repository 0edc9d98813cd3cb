import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createBoundedMap } from './bounded-map.ts';

describe('a bounded map', () => {
  it('never holds more than its limit, and keeps what is used', () => {
    const map = createBoundedMap<number>(10);
    for (let n = 0; n < 1_000; n += 1) {
      map.set(`key ${n}`, n);
      assert.equal(map.get('key 0'), 0);
      assert.equal(map.get(`key ${n}`), n);
      assert.ok(map.size <= 10, String(map.size));
    }
    assert.equal(map.get('key 500'), undefined);
  });

  it('holds at least the last half of its limit', () => {
    const map = createBoundedMap<number>(10);
    for (let n = 0; n < 100; n += 1) map.set(`key ${n}`, n);
    for (let n = 96; n < 100; n += 1) assert.equal(map.get(`key ${n}`), n);
  });

  it('replaces and forgets on command', () => {
    const map = createBoundedMap<number>(4);
    map.set('one', 1);
    map.set('two', 2);
    map.set('three', 3);
    map.set('one', 10);
    assert.equal(map.get('one'), 10);
    map.delete('one');
    assert.equal(map.get('one'), undefined);
  });
});
