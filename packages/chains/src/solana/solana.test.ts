import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WalletProof } from '@latchkey/core/ports';
import { ed25519 } from '@noble/curves/ed25519.js';
import { concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { base58 } from '@scure/base';
import { seededRandom } from '../../vectors/mutate.ts';
import { readVectors, type Vector } from '../../vectors/read-vectors.ts';
import { createSolanaWallets, solanaChains } from './index.ts';
import { isSolanaTransaction, verifySolanaBytes } from './verify.ts';

const [mainnet = ''] = solanaChains;
const vectors = readVectors('solana');

/** Vectors over non-text bytes, or with a hexadecimal signature, are verified below the wallet interface. */
function verifyBytes(vector: Vector): boolean {
  const signature = String(vector.signature);
  const signatureBytes = vector.signatureEncoding === 'hex' ? hexToBytes(signature) : base58.decode(signature);
  return verifySolanaBytes(hexToBytes(vector.message), signatureBytes, base58.decode(vector.address)) === undefined;
}

async function verify(vector: Vector): Promise<boolean> {
  if (vector.messageEncoding === 'hex') return verifyBytes(vector);
  const domain = vector.context?.domain;
  const wallets = createSolanaWallets(typeof domain === 'string' ? { domain } : {});
  const proof: WalletProof = {
    chain: mainnet,
    address: vector.address,
    message: vector.message,
    signature: vector.signature,
    details: { format: vector.scheme === 'offchain-v0' ? 'offchain-v0' : 'message', nonce: vector.context?.nonce },
  };
  return (await wallets.verify(proof)).kind === 'valid';
}

test('every Solana vector is verified correctly', async (t) => {
  for (const vector of vectors) assert.equal(await verify(vector), vector.valid, vector.name);
  const valid = vectors.filter((vector) => vector.valid).length;
  t.diagnostic(`${vectors.length} of ${vectors.length} Solana vectors verified correctly (${valid} valid)`);
});

const secretKey = seededRandom('solana tests').bytes(32);
const address = base58.encode(ed25519.getPublicKey(secretKey));
const sign = (bytes: Uint8Array) => base58.encode(ed25519.sign(bytes, secretKey));
const proofOf = (message: string): WalletProof => ({
  chain: mainnet,
  address,
  message,
  signature: sign(utf8ToBytes(message)),
});

test('a text signed by the key of the address is valid on each cluster and on no other chain', async () => {
  const wallets = createSolanaWallets();
  const proof = proofOf('Latchkey login ✓\nNonce: 8f2c1a77');
  for (const chain of solanaChains) {
    assert.deepEqual(await wallets.verify({ ...proof, chain }), { kind: 'valid', address });
  }
  for (const chain of ['', 'mainnet', '1', `solana:${mainnet}`, mainnet.toLowerCase()]) {
    assert.equal((await wallets.verify({ ...proof, chain })).kind, 'invalid');
    assert.equal(wallets.normalizeAddress(address, chain), undefined);
  }
});

test('a sign-in message is bound to its site, account and nonce even with a valid signature', async () => {
  const wallets = createSolanaWallets({ domain: 'latchkey.example' });
  const text = (site: string, account: string) =>
    `${site} wants you to sign in with your Solana account:\n${account}\n\nLatchkey login\n\nNonce: 8f2c1a77`;
  const verdict = async (proof: WalletProof) => (await wallets.verify(proof)).kind;
  assert.equal(await verdict(proofOf(text('latchkey.example', address))), 'valid');
  assert.equal(await verdict(proofOf(text('https://latchkey.example', address))), 'valid');
  assert.equal(await verdict(proofOf(text('evil.example', address))), 'invalid');
  assert.equal(await verdict(proofOf(text('latchkey.example', '11111111111111111111111111111111'))), 'invalid');
  const proof = proofOf(text('latchkey.example', address));
  assert.equal(await verdict({ ...proof, details: { nonce: '8f2c1a77' } }), 'valid');
  assert.equal(await verdict({ ...proof, details: { nonce: '8f2c1a7' } }), 'invalid');
});

function transactionBytes(version: number | undefined): Uint8Array {
  const random = seededRandom('solana transaction');
  const body = concatBytes(Uint8Array.of(1, 0, 1, 3), random.bytes(4 * 32));
  const instruction = Uint8Array.of(1, 2, 2, 0, 1, 12, ...random.bytes(12));
  return version === undefined
    ? concatBytes(body, instruction)
    : concatBytes(Uint8Array.of(0x80 | version), body, instruction, Uint8Array.of(0));
}

test('bytes that a validator would execute are recognized, whatever follows them', () => {
  for (const version of [undefined, 0]) {
    const bytes = transactionBytes(version);
    assert.equal(isSolanaTransaction(bytes), true);
    assert.equal(isSolanaTransaction(concatBytes(bytes, utf8ToBytes(' Nonce: 1'))), true);
    assert.equal(isSolanaTransaction(bytes.subarray(0, 60)), false);
    const signature = ed25519.sign(bytes, secretKey);
    const publicKey = ed25519.getPublicKey(secretKey);
    assert.match(verifySolanaBytes(bytes, signature, publicKey) ?? '', /transaction/);
  }
});

test('no readable text is mistaken for a transaction', () => {
  const random = seededRandom('readable text');
  for (let n = 0; n < 2000; n++) {
    const text = String.fromCharCode(...Array.from({ length: 40 + random.below(1200) }, () => 0x20 + random.below(95)));
    assert.equal(isSolanaTransaction(utf8ToBytes(text)), false);
  }
});

test('an off-chain message is recognized by its length and characters', async () => {
  const wallets = createSolanaWallets();
  const verdict = async (message: string, header: number[]) => {
    const text = utf8ToBytes(message);
    const lengthBytes = [text.length & 0xff, text.length >> 8];
    const bytes = concatBytes(utf8ToBytes('solana offchain'), Uint8Array.of(...header, ...lengthBytes), text);
    const signature = sign(concatBytes(Uint8Array.of(0xff), bytes));
    const details = { format: 'offchain-v0' };
    return (await wallets.verify({ chain: mainnet, address, message, signature, details })).kind;
  };
  assert.equal(await verdict('plain', [0, 0]), 'valid');
  assert.equal(await verdict('plain', [0, 1]), 'invalid');
  assert.equal(await verdict('plain', [1, 0]), 'invalid');
  assert.equal(await verdict('two\nlines', [0, 1]), 'valid');
  assert.equal(await verdict('x'.repeat(1212), [0, 0]), 'valid');
  assert.equal(await verdict('x'.repeat(1213), [0, 2]), 'valid');
  assert.equal(await verdict('', [0, 0]), 'invalid');
});

test('an address is 32 bytes in base58 and nothing else', () => {
  const wallets = createSolanaWallets();
  assert.equal(wallets.normalizeAddress(address, mainnet), address);
  const strange = ['', ` ${address}`, `${address}\n`, `1${address}`, address.slice(4), '0x00', 'l'.repeat(44)];
  for (const given of strange) assert.equal(wallets.normalizeAddress(given, mainnet), undefined);
  assert.equal(wallets.normalizeAddress('z'.repeat(100_000), mainnet), undefined);
});

test('input of the wrong type is refused without throwing', async () => {
  const wallets = createSolanaWallets();
  const proof = proofOf('hello');
  for (const signature of [undefined, null, 7, {}, [proof.signature], new Uint8Array(64)]) {
    assert.equal((await wallets.verify({ ...proof, signature })).kind, 'invalid');
  }
  const sent: unknown[] = [{ ...proof, address: 7 }, { ...proof, message: null }, { ...proof, details: [] }, {}];
  for (const strange of sent) assert.equal((await wallets.verify(strange as WalletProof)).kind, 'invalid');
});
