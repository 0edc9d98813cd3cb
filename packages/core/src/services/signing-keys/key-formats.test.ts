import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { test } from 'node:test';
import { base58 } from '@scure/base';
import { calculateJwkThumbprint } from 'jose';
import { seededRandom } from '../../testing/index.ts';
import { ed25519Texts, generateKey, publicJwk, publicPem, uncompressedHex } from './rotate-key.ts';
import { signingPurposes } from './signing-key.ts';

test('a key of every purpose signs what its published half verifies', () => {
  for (const purpose of signingPurposes) {
    const { publicKey, privateKey } = generateKey(seededRandom(purpose), purpose);
    const digest = purpose === 'action-ed25519' ? null : 'sha256';
    const signature = sign(digest, Buffer.from('text'), privateKey);
    const published = createPublicKey(publicPem(publicKey));
    assert.equal(verify(digest, Buffer.from('text'), published, signature), true);
    assert.equal(verify(digest, Buffer.from('texT'), published, signature), false);
  }
});

test('the id of a key is its RFC 7638 thumbprint', async () => {
  for (const purpose of signingPurposes) {
    const { kid, publicKey } = generateKey(seededRandom(purpose), purpose);
    assert.equal(kid, await calculateJwkThumbprint(publicKey));
  }
});

test('keys made from different randomness differ', () => {
  const random = seededRandom('many');
  const purposes = signingPurposes.filter((purpose) => purpose !== 'jwt-rs256');
  const kids = purposes.flatMap((purpose) => Array.from({ length: 20 }, () => generateKey(random, purpose).kid));
  assert.equal(new Set(kids).size, 60);
});

test('the action keys use the format that mini-apps compare', () => {
  const ecdsa = generateKey(seededRandom('a'), 'action-ecdsa').publicKey;
  assert.match(uncompressedHex(ecdsa), /^0x04[0-9a-f]{128}$/);
  const spki = ecdsa.export({ format: 'der', type: 'spki' });
  assert.equal(uncompressedHex(ecdsa), `0x${spki.subarray(-65).toString('hex')}`);

  const ed25519 = generateKey(seededRandom('b'), 'action-ed25519').publicKey;
  const raw = ed25519.export({ format: 'der', type: 'spki' }).subarray(-32);
  assert.deepEqual(ed25519Texts(ed25519), { base58: base58.encode(raw), hex: raw.toString('hex') });
});

test('a private key is never published, and a key of another type is not written in the wrong format', () => {
  const { privateKey } = generateKey(seededRandom('c'), 'jwt');
  assert.throws(() => publicJwk(privateKey), /Only a public key/);
  assert.throws(() => publicPem(privateKey), /Only a public key/);
  assert.throws(
    () => uncompressedHex(generateKey(seededRandom('d'), 'action-ed25519').publicKey),
    /key type does not match/,
  );
});

test('a scalar outside the group order is refused', () => {
  const stuck = { bytes: (length: number) => new Uint8Array(length).fill(0xff), id: () => '' };
  assert.throws(() => generateKey(stuck, 'jwt'), /not valid/);
  assert.ok(
    createPrivateKey(generateKey(seededRandom('e'), 'jwt').privateKey.export({ format: 'pem', type: 'pkcs8' })),
  );
});
