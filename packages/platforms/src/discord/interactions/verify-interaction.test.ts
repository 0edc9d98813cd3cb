import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ed25519 } from '@noble/curves/ed25519.js';
import { verifyInteraction } from './verify-interaction.ts';

describe('an interaction from Discord', () => {
  const secret = new Uint8Array(32).fill(7);
  const publicKey = Buffer.from(ed25519.getPublicKey(secret)).toString('hex');
  const now = new Date('2026-01-15T12:00:00Z');
  const seconds = now.getTime() / 1000;
  const sign = (timestamp: string, body: string) => ({
    timestamp,
    signature: Buffer.from(ed25519.sign(Buffer.from(timestamp + body), secret)).toString('hex'),
    rawBody: Buffer.from(body),
  });

  test('is accepted when its exact bytes are signed', () => {
    const good = sign(String(seconds), '{"type": 1}');
    assert.equal(verifyInteraction(publicKey, good, now), true);
    assert.equal(verifyInteraction(publicKey, { ...good, rawBody: Buffer.from('{"type":1}') }, now), false);
    assert.equal(verifyInteraction(publicKey, { ...good, timestamp: String(seconds + 1) }, now), false);
    const other = Buffer.from(ed25519.getPublicKey(new Uint8Array(32).fill(8))).toString('hex');
    assert.equal(verifyInteraction(other, good, now), false);
  });

  test('is refused when any bit of the signature differs', () => {
    const good = sign(String(seconds), '{}');
    for (let bit = 0; bit < 512; bit += 5) {
      const bytes = Buffer.from(good.signature, 'hex');
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      assert.equal(verifyInteraction(publicKey, { ...good, signature: bytes.toString('hex') }, now), false);
    }
  });

  test('is refused when it is old, from the future, or its headers are missing or malformed', () => {
    for (const age of [301, -301])
      assert.equal(verifyInteraction(publicKey, sign(String(seconds - age), '{}'), now), false);
    for (const age of [299, -299])
      assert.equal(verifyInteraction(publicKey, sign(String(seconds - age), '{}'), now), true);
    const good = sign(String(seconds), '{}');
    for (const change of [
      { signature: undefined },
      { timestamp: undefined },
      { signature: '' },
      { signature: 'zz'.repeat(64) },
      { signature: good.signature.slice(2) },
      { timestamp: '1e3' },
      { timestamp: '-1' },
      { signature: '00'.repeat(64) },
    ])
      assert.equal(verifyInteraction(publicKey, { ...good, ...change }, now), false);
    assert.throws(() => verifyInteraction('short', good, now), /64 hex digits/);
  });

  test('is refused with a small-order key, which would accept many signatures', () => {
    const forged = { timestamp: String(seconds), rawBody: Buffer.from('{}'), signature: `01${'00'.repeat(63)}` };
    assert.equal(verifyInteraction(`01${'00'.repeat(31)}`, forged, now), false);
  });
});
