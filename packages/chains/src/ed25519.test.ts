import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ed25519 } from '@noble/curves/ed25519.js';
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { seededRandom } from '../vectors/mutate.ts';
import { verifyEd25519 } from './ed25519.ts';
import { addGroupOrder } from './testing/add-group-order.ts';

interface WycheproofGroup {
  publicKey: { pk: string };
  tests: { tcId: number; comment: string; msg: string; sig: string; result: 'valid' | 'invalid' }[];
}

const wycheproof: { numberOfTests: number; testGroups: WycheproofGroup[] } = JSON.parse(
  readFileSync(new URL('../vectors/wycheproof/ed25519_test.json', import.meta.url), 'utf8'),
);

test('every Ed25519 case matches Wycheproof’s result', (t) => {
  let verified = 0;
  for (const { publicKey, tests } of wycheproof.testGroups) {
    for (const { tcId, comment, msg, sig, result } of tests) {
      const verdict = verifyEd25519(hexToBytes(sig), hexToBytes(msg), hexToBytes(publicKey.pk));
      assert.equal(verdict, result === 'valid', `case ${tcId}: ${comment}`);
      verified++;
    }
  }
  assert.equal(verified, wycheproof.numberOfTests);
  assert.equal(verified, 151);
  t.diagnostic(`${verified} of ${wycheproof.numberOfTests} Wycheproof cases verified correctly`);
});

// The points of small order, and the non-canonical encodings of the same points that lax decoders accept.
const smallOrderKeys = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000080',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000080',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
];

test('a small-order key is refused with every signature that would verify', () => {
  let forgeries = 0;
  for (const key of smallOrderKeys) {
    for (const r of smallOrderKeys) {
      const signature = hexToBytes(r + '00'.repeat(32));
      for (let n = 0; n < 4; n++) {
        const message = utf8ToBytes(`message ${n}`);
        if (ed25519.verify(signature, message, hexToBytes(key), { zip215: true })) forgeries++;
        assert.equal(verifyEd25519(signature, message, hexToBytes(key)), false, `key ${key}, R ${r}`);
      }
    }
  }
  assert.ok(forgeries > 200, `only ${forgeries} of these would fool a lax verifier`);
});

test('a genuine signature is accepted, and the same with the group order added to its scalar is not', () => {
  const random = seededRandom('own Ed25519 signatures');
  for (let n = 0; n < 20; n++) {
    const secretKey = random.bytes(32);
    const publicKey = ed25519.getPublicKey(secretKey);
    const message = random.bytes(n * 7);
    const signature = ed25519.sign(message, secretKey);
    assert.equal(verifyEd25519(signature, message, publicKey), true);
    assert.equal(verifyEd25519(addGroupOrder(signature), message, publicKey), false);
  }
});

test('wrong lengths are refused without throwing', () => {
  const secretKey = seededRandom('lengths').bytes(32);
  const [message, publicKey] = [utf8ToBytes('hello'), ed25519.getPublicKey(secretKey)];
  const signature = ed25519.sign(message, secretKey);
  assert.equal(verifyEd25519(signature.subarray(0, 63), message, publicKey), false);
  assert.equal(verifyEd25519(Uint8Array.of(...signature, 0), message, publicKey), false);
  assert.equal(verifyEd25519(signature, message, publicKey.subarray(1)), false);
  assert.equal(verifyEd25519(new Uint8Array(), message, new Uint8Array()), false);
});
