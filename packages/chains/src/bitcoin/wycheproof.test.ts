import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sha256 } from '@noble/hashes/sha2.js';
import { hexToBytes } from '@noble/hashes/utils.js';
import { verifyDer } from './check-input.ts';

interface Suite {
  numberOfTests: number;
  testGroups: {
    publicKey: { uncompressed: string };
    tests: { tcId: number; comment: string; msg: string; sig: string; result: 'valid' | 'invalid' }[];
  }[];
}

const file = new URL('../../vectors/wycheproof/ecdsa_secp256k1_sha256_bitcoin_test.json', import.meta.url);

test('secp256k1 signatures match Wycheproof’s results for Bitcoin', (t) => {
  const suite: Suite = JSON.parse(readFileSync(file, 'utf8'));
  const counts = { valid: 0, invalid: 0 };
  for (const { publicKey, tests } of suite.testGroups) {
    const key = hexToBytes(publicKey.uncompressed);
    for (const { tcId, comment, msg, sig, result } of tests) {
      const isValid = verifyDer(hexToBytes(sig), key, sha256(hexToBytes(msg)));
      assert.equal(isValid, result === 'valid', `${tcId} ${comment}`);
      counts[result]++;
    }
  }
  t.diagnostic(`${suite.numberOfTests} cases: ${JSON.stringify(counts)}`);
  assert.equal(counts.valid + counts.invalid, suite.numberOfTests);
});
