import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WalletProof } from '@latchkey/core/ports';
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { base58, base64 } from '@scure/base';
import { seededRandom } from '../../vectors/mutate.ts';
import { readVectors } from '../../vectors/read-vectors.ts';
import type { AccessKeyState } from './access-keys.ts';
import { createNearWallets } from './index.ts';
import { hashSignMessage } from './signed-bytes.ts';
import { proofOfVector, walletsOfVector } from './test-vectors.ts';

const vectors = readVectors('near');

test('every NEAR vector is verified correctly', async (t) => {
  for (const vector of vectors) {
    const verdict = await walletsOfVector(vector).verify(proofOfVector(vector));
    assert.equal(verdict.kind, vector.valid ? 'valid' : 'invalid', vector.name);
  }
  const valid = vectors.filter((vector) => vector.valid).length;
  t.diagnostic(`${vectors.length} of ${vectors.length} NEAR vectors verified correctly (${valid} valid)`);
});

const random = seededRandom('near tests');
const secretKey = random.bytes(32);
const publicKeyBytes = ed25519.getPublicKey(secretKey);
const publicKey = `ed25519:${base58.encode(publicKeyBytes)}`;
const nonce = random.bytes(32);
const recipient = 'latchkey.example';

function proofOf(address: string, callbackUrl?: string): WalletProof {
  const message = 'Latchkey login ✓\nNonce: 8f2c1a77';
  const hash = hashSignMessage({ message, nonce, recipient, callbackUrl });
  return {
    chain: 'mainnet',
    address,
    message,
    publicKey,
    signature: base64.encode(ed25519.sign(hash, secretKey)),
    details: { nonce: base64.encode(nonce), recipient, ...(callbackUrl === undefined ? {} : { callbackUrl }) },
  };
}

function walletsThatSay(state: AccessKeyState | undefined) {
  const allowsCallbackUrl = (url: string) => URL.parse(url)?.host === recipient;
  return createNearWallets({ recipient, allowsCallbackUrl, findAccessKey: async () => state });
}

test('only a key with full access to a named account proves it', async () => {
  const verdicts = async (address: string) => {
    const states: AccessKeyState[] = ['full-access', 'limited', 'no-such-key', 'no-such-account'];
    return Promise.all(states.map(async (state) => (await walletsThatSay(state).verify(proofOf(address))).kind));
  };
  assert.deepEqual(await verdicts('alice.near'), ['valid', 'invalid', 'invalid', 'invalid']);
  const implicit = bytesToHex(publicKeyBytes);
  assert.deepEqual(await verdicts(implicit), ['valid', 'invalid', 'invalid', 'valid']);
});

test('nothing is decided when the network is unavailable', async () => {
  const allowsCallbackUrl = () => false;
  const failing = [
    async () => undefined,
    () => Promise.reject(new Error('unreachable')),
    () => {
      throw new Error('broken');
    },
    undefined,
  ];
  for (const findAccessKey of failing) {
    const wallets = createNearWallets({ recipient, allowsCallbackUrl, findAccessKey });
    assert.equal((await wallets.verify(proofOf('alice.near'))).kind, 'unknown');
    assert.equal((await wallets.verify(proofOf(bytesToHex(publicKeyBytes)))).kind, 'unknown');
    const forged = { ...proofOf('alice.near'), message: 'something else' };
    assert.equal((await wallets.verify(forged)).kind, 'invalid');
  }
});

test('a valid signature replayed on another site is refused', async () => {
  const wallets = walletsThatSay('full-access');
  assert.equal((await wallets.verify(proofOf('alice.near', 'https://latchkey.example/done'))).kind, 'valid');
  assert.equal((await wallets.verify(proofOf('alice.near', 'https://evil.example/done'))).kind, 'invalid');
});

test('a signature for another recipient is refused even when the sender names it', async () => {
  const proof = proofOf('alice.near');
  const hash = hashSignMessage({ message: proof.message, nonce, recipient: 'evil.near', callbackUrl: undefined });
  const signature = base64.encode(ed25519.sign(hash, secretKey));
  const details = { ...proof.details, recipient: 'evil.near' };
  assert.equal((await walletsThatSay('full-access').verify({ ...proof, signature, details })).kind, 'invalid');
});

test('the older format accepts a text and refuses the bytes of a transaction', async () => {
  const wallets = walletsThatSay('full-access');
  const verdict = async (message: string) => {
    const signature = base64.encode(ed25519.sign(sha256(utf8ToBytes(message)), secretKey));
    const details = { format: 'legacy-sha256' };
    return (await wallets.verify({ ...proofOf('alice.near'), message, signature, details })).kind;
  };
  assert.equal(await verdict('Latchkey 1234'), 'valid');
  assert.equal(await verdict('\n\u0000\u0000\u0000alice.near\u0000then a key and actions'), 'invalid');
});

test('account ids follow the rules of their network', () => {
  const wallets = walletsThatSay(undefined);
  for (const id of ['alice.near', 'a-b_c.d.near', 'aurora', bytesToHex(publicKeyBytes), `0x${'ab'.repeat(20)}`]) {
    assert.equal(wallets.normalizeAddress(id, 'mainnet'), id);
  }
  const strange = ['a', 'Alice.near', 'a..near', '.near', 'near.', 'a b.near', 'a'.repeat(65), 'a--b', 'ä.near', ''];
  for (const id of strange) assert.equal(wallets.normalizeAddress(id, 'mainnet'), undefined);
  const ofOtherChains = [
    'cosmos1qurswpc8qurswpc8qurswpc8qurswpc8nn86qp',
    'osmo1qurswpc8qurswpc8qurswpc8qurswpc8mg52kn',
    'addr1qurswpc8qurswpc8qurswpc8qurswpc8qurswpc8qurswpckgpyd2',
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr',
  ];
  for (const id of ofOtherChains) assert.equal(wallets.normalizeAddress(id, 'mainnet'), undefined, id);
  const below = `${ofOtherChains[0]}.near`;
  assert.equal(wallets.normalizeAddress(below, 'mainnet'), below);
  assert.equal(wallets.normalizeAddress('alice.testnet', 'mainnet'), undefined);
  assert.equal(wallets.normalizeAddress('alice.near', 'testnet'), undefined);
  assert.equal(wallets.normalizeAddress('alice.testnet', 'testnet'), 'alice.testnet');
  assert.equal(wallets.normalizeAddress('alice.near', 'betanet'), undefined);
});
