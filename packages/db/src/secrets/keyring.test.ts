import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { randomFrom } from '../random.ts';
import { createKeyring, type MasterKey, SealError } from './keyring.ts';

let counter = 0;
const random = randomFrom((length) =>
  Buffer.concat([0, 1].map(() => createHash('sha512').update(`keyring:${counter++}`).digest())).subarray(0, length),
);
const keyOf = (id: string): MasterKey => ({ id, key: createHash('sha256').update(id).digest() });

test('an encrypted secret decrypts in its place and nowhere else', () => {
  const ring = createKeyring([keyOf('k1')], random);
  const sealed = ring.seal('apps.secret:1', 'hunter2');
  assert.equal(ring.openText('apps.secret:1', sealed), 'hunter2');
  assert.throws(() => ring.open('apps.secret:2', sealed), SealError);
  assert.ok(!sealed.includes('hunter2'));
});

test('the same secret never encrypts to the same value twice', () => {
  const ring = createKeyring([keyOf('k1')], random);
  assert.notEqual(ring.seal('p', 'x'), ring.seal('p', 'x'));
});

test('a change of any character is detected', () => {
  const ring = createKeyring([keyOf('k1')], random);
  const sealed = ring.seal('p', 'a secret');
  for (let at = 0; at < sealed.length; at++) {
    // The last character of a part may have spare bits that decode to the same bytes.
    if (at === sealed.length - 1 || sealed[at + 1] === '.') continue;
    const other = sealed[at] === 'A' ? 'B' : 'A';
    assert.throws(() => ring.open('p', sealed.slice(0, at) + other + sealed.slice(at + 1)), SealError, `at ${at}`);
  }
});

test('after a rotation old secrets decrypt, new ones use the new key, and rewrapping retires the old key', () => {
  const before = createKeyring([keyOf('k1')], random);
  const sealed = before.seal('p', 'kept');
  const during = createKeyring([keyOf('k2'), keyOf('k1')], random);
  assert.equal(during.openText('p', sealed), 'kept');
  const rewrapped = during.rewrap('p', sealed);
  assert.ok(rewrapped?.startsWith('v1.k2.'));
  assert.ok(rewrapped);
  assert.equal(during.rewrap('p', rewrapped), undefined);
  const after = createKeyring([keyOf('k2')], random);
  assert.equal(after.openText('p', rewrapped), 'kept');
  assert.throws(() => after.open('p', sealed), /"k1" is not configured/);
});

test('rewrapping is refused for another place', () => {
  const ring = createKeyring([keyOf('k2'), keyOf('k1')], random);
  const sealed = createKeyring([keyOf('k1')], random).seal('p', 'x');
  assert.throws(() => ring.rewrap('q', sealed), SealError);
});

test('each purpose has a separate key', () => {
  const ring = createKeyring([keyOf('k1'), keyOf('k0')], random);
  const [current, older] = ring.derive('page-token');
  assert.equal(current?.key.length, 32);
  assert.notDeepEqual(current?.key, older?.key);
  assert.notDeepEqual(current?.key, ring.derive('other')[0]?.key);
});

test('a master key with a wrong length or an invalid id is refused with a clear message', () => {
  assert.throws(() => createKeyring([{ id: 'k1', key: new Uint8Array(31) }], random), /must be 32 bytes long, not 31/);
  assert.throws(() => createKeyring([{ id: 'k.1', key: new Uint8Array(32) }], random), /letters, digits/);
});
