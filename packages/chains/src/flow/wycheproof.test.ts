import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { p256 } from '@noble/curves/nist.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { hexToBytes } from '@noble/hashes/utils.js';
import { verifyCompact } from './verify.ts';

interface Suite {
  numberOfTests: number;
  testGroups: {
    publicKey: { uncompressed: string };
    tests: { tcId: number; comment: string; msg: string; sig: string; result: 'valid' | 'invalid' }[];
  }[];
}

const readSuite = (name: string): Suite =>
  JSON.parse(readFileSync(new URL(`../../vectors/wycheproof/${name}_test.json`, import.meta.url), 'utf8'));

/** Flow has no DER: the numbers are extracted, which fails for invalid DER and out-of-range values. */
function readNumbers(der: Uint8Array): Uint8Array | undefined {
  try {
    return p256.Signature.fromBytes(der, 'der').toBytes('compact');
  } catch {
    return undefined;
  }
}

test('P-256 signatures match Wycheproof’s results', (t) => {
  const suite = readSuite('ecdsa_secp256r1_sha256');
  const counts = { valid: 0, invalid: 0, unreadable: 0 };
  for (const { publicKey, tests } of suite.testGroups) {
    const coordinates = hexToBytes(publicKey.uncompressed).subarray(1);
    for (const { tcId, comment, msg, sig, result } of tests) {
      const numbers = readNumbers(hexToBytes(sig));
      const isValid = numbers !== undefined && verifyCompact('p256', numbers, coordinates, sha256(hexToBytes(msg)));
      assert.equal(isValid, result === 'valid', `${tcId} ${comment}`);
      counts[result]++;
      counts.unreadable += Number(numbers === undefined);
    }
  }
  t.diagnostic(`${suite.numberOfTests} cases: ${JSON.stringify(counts)}`);
  assert.equal(counts.valid + counts.invalid, suite.numberOfTests);
});

test('64-byte P-256 signatures, as Flow accounts make them, match Wycheproof’s results', (t) => {
  const suite = readSuite('ecdsa_secp256r1_sha256_p1363');
  const counts = { valid: 0, invalid: 0 };
  for (const { publicKey, tests } of suite.testGroups) {
    const coordinates = hexToBytes(publicKey.uncompressed).subarray(1);
    for (const { tcId, comment, msg, sig, result } of tests) {
      const isValid = verifyCompact('p256', hexToBytes(sig), coordinates, sha256(hexToBytes(msg)));
      assert.equal(isValid, result === 'valid', `${tcId} ${comment}`);
      counts[result]++;
    }
  }
  t.diagnostic(`${suite.numberOfTests} cases: ${JSON.stringify(counts)}`);
  assert.equal(counts.valid + counts.invalid, suite.numberOfTests);
});
