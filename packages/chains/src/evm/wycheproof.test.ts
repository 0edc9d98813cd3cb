import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { hexToBytes } from '@noble/hashes/utils.js';
import { addressOfPoint } from './checksum-address.ts';
import { recoverSigner } from './recover-signer.ts';

interface Group {
  publicKey: { uncompressed: string };
  tests: { tcId: number; comment: string; flags: string[]; msg: string; sig: string; result: 'valid' | 'invalid' }[];
}

function readGroups(file: string): Group[] {
  return JSON.parse(readFileSync(new URL(`../../vectors/wycheproof/${file}.json`, import.meta.url), 'utf8')).testGroups;
}

const order = secp256k1.Point.Fn.ORDER;

/** Ethereum has no DER: the numbers are extracted and tried with both recovery bits, as a wallet would encode them. */
function isAccepted(key: Uint8Array, message: Uint8Array, der: Uint8Array): boolean {
  let numbers: Uint8Array;
  try {
    numbers = secp256k1.Signature.fromBytes(der, 'der').toBytes('compact');
  } catch {
    return false;
  }
  const address = addressOfPoint(key);
  return [27, 28].some((v) => recoverSigner(sha256(message), Uint8Array.of(...numbers, v)) === address);
}

function hasHighS(der: Uint8Array): boolean {
  return secp256k1.Signature.fromBytes(der, 'der').s > order >> 1n;
}

for (const file of ['ecdsa_secp256k1_sha256_test', 'ecdsa_secp256k1_sha256_bitcoin_test']) {
  test(`recovered signatures match Wycheproof’s results: ${file}`, (t) => {
    const counts = { accepted: 0, refused: 0, highS: 0, inexpressible: 0 };
    for (const group of readGroups(file)) {
      const key = hexToBytes(group.publicKey.uncompressed);
      for (const { tcId, comment, msg, sig, result } of group.tests) {
        const der = hexToBytes(sig);
        const isHighS = result === 'valid' && hasHighS(der);
        // The point has an x coordinate above the group order, which Ethereum's recovery bits cannot express.
        const isInexpressible = comment === 'k*G has a large x-coordinate';
        const expected = result === 'valid' && !isHighS && !isInexpressible;
        assert.equal(isAccepted(key, hexToBytes(msg), der), expected, `${tcId} ${comment}`);
        counts[expected ? 'accepted' : 'refused']++;
        counts.highS += Number(isHighS);
        counts.inexpressible += Number(result === 'valid' && isInexpressible);
      }
    }
    t.diagnostic(JSON.stringify(counts));
    assert.ok(counts.accepted > 50 && counts.refused > 50);
  });
}

test('recovered 64-byte signatures match Wycheproof’s results: ecdsa_secp256k1_sha256_p1363_test', (t) => {
  const counts = { accepted: 0, refused: 0, highS: 0, inexpressible: 0 };
  for (const group of readGroups('ecdsa_secp256k1_sha256_p1363_test')) {
    const address = addressOfPoint(hexToBytes(group.publicKey.uncompressed));
    for (const { tcId, comment, msg, sig, result } of group.tests) {
      const numbers = hexToBytes(sig);
      const isHighS = result === 'valid' && BigInt(`0x${sig.slice(64)}`) > order >> 1n;
      const isInexpressible = result === 'valid' && comment === 'k*G has a large x-coordinate';
      const expected = result === 'valid' && !isHighS && !isInexpressible;
      const hash = sha256(hexToBytes(msg));
      const isTaken = [27, 28].some((v) => recoverSigner(hash, Uint8Array.of(...numbers, v)) === address);
      assert.equal(isTaken, expected, `${tcId} ${comment}`);
      counts[expected ? 'accepted' : 'refused']++;
      counts.highS += Number(isHighS);
      counts.inexpressible += Number(isInexpressible);
    }
  }
  t.diagnostic(JSON.stringify(counts));
  assert.ok(counts.accepted > 50 && counts.refused > 50);
});
