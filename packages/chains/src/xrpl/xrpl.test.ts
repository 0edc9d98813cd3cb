import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { seededRandom } from '../../vectors/mutate.ts';
import { readVectors } from '../../vectors/read-vectors.ts';
import { createXrplWallets } from './index.ts';
import { createSigner, signIn, signText, type XrplAlgorithm, type XrplProof } from './test-proofs.ts';
import { readLedgerObject, readSignedBlob } from './verify.ts';

const vectors = readVectors('xrpl');
const wallets = createXrplWallets();
const verify = async (proof: XrplProof) => (await wallets.verify(proof)).kind;
const algorithms: readonly XrplAlgorithm[] = ['ed25519', 'ecdsa-secp256k1'];

test('every XRP Ledger vector is verified correctly', async (t) => {
  let transactions = 0;
  for (const vector of vectors) {
    const proof = { ...vector, chain: '0', signature: String(vector.signature) };
    if (vector.context?.allowAnyTx === true) {
      // These vectors only check the signature of a transaction. It is valid, and still refused as a sign-in.
      const signers = readSignedBlob(hexToBytes(proof.signature))?.signers;
      assert.deepEqual(signers, [vector.address], vector.name);
      assert.equal(await verify(proof), 'invalid', vector.name);
      transactions++;
    } else {
      assert.equal(await verify(proof), vector.valid ? 'valid' : 'invalid', vector.name);
    }
  }
  const valid = vectors.filter((vector) => vector.valid).length;
  t.diagnostic(`${vectors.length} of ${vectors.length} XRP Ledger vectors verified correctly (${valid} valid)`);
  t.diagnostic(
    `${transactions} of them are transactions: their signatures are valid, but they are refused as a sign-in`,
  );
});

for (const algorithm of algorithms) {
  test(`a signature with a key on ${algorithm} proves its account, as a text and as a sign-in`, async () => {
    const signer = createSigner(seededRandom(algorithm), algorithm);
    const message = 'Latchkey login ✓\nNonce: 8f2c1a77';
    for (const proof of [signText(signer, message), signIn(signer, message), signIn(signer, 'x'.repeat(700))]) {
      assert.deepEqual(await wallets.verify(proof), { kind: 'valid', address: signer.address });
      assert.equal(await verify({ ...proof, message: `${message}.` }), 'invalid');
      assert.equal(await verify({ ...proof, signature: proof.signature.toLowerCase() }), 'valid');
      for (const chain of ['1', '2']) assert.equal(await verify({ ...proof, chain }), 'valid');
      for (const chain of ['', '00', '3', 'xrpl:0', 'mainnet'])
        assert.equal(await verify({ ...proof, chain }), 'invalid');
    }
  });

  test(`a transaction signed with a key on ${algorithm} never serves as a login`, async () => {
    const signer = createSigner(seededRandom(`transaction ${algorithm}`), algorithm);
    for (const type of ['120000', '120003', '12FFFF']) {
      const proof = signIn(signer, 'login', type);
      assert.deepEqual(readSignedBlob(hexToBytes(proof.signature))?.signers, [signer.address]);
      assert.equal(await verify(proof), 'invalid');
    }
    for (const prefix of ['STX', 'SMT', 'CLM', 'BCH']) {
      assert.equal(await verify(signText(signer, `${prefix}\u0000 and more`)), 'invalid');
      assert.equal(await verify(signText(signer, `${prefix} and more`)), 'valid');
    }
  });

  test(`a sign-in of another account or under another text is refused, on ${algorithm}`, async () => {
    const random = seededRandom(`others ${algorithm}`);
    const [signer, other] = [createSigner(random, algorithm), createSigner(random, algorithm)];
    const proof = signIn(signer, 'login 1');
    assert.equal(await verify({ ...proof, address: other.address }), 'invalid');
    assert.equal(await verify({ ...proof, message: '' }), 'invalid');
    assert.equal(await verify({ ...signIn(signer, ''), message: 'login 1' }), 'invalid');
    const forged = signIn({ ...signer, address: other.address }, 'login 1');
    assert.equal(await verify(forged), 'invalid');
  });
}

test('the signature in a sign-in cannot be replaced by its high-s twin', async () => {
  const proof = signIn(createSigner(seededRandom('emulator'), 'ecdsa-secp256k1'), 'login');
  const field = readLedgerObject(hexToBytes(proof.signature))?.find(({ type, number }) => type === 7 && number === 4);
  assert.ok(field);
  const { r, s } = secp256k1.Signature.fromBytes(field.bytes, 'der');
  const emulator = new secp256k1.Signature(r, secp256k1.Point.Fn.neg(s)).toHex('der');
  const header = `74${(emulator.length / 2).toString(16)}`;
  const signature =
    proof.signature.slice(0, 2 * field.start) + header + emulator + proof.signature.slice(2 * field.end);
  assert.equal(readSignedBlob(hexToBytes(signature))?.account, proof.address);
  assert.equal(await verify({ ...proof, signature }), 'invalid');
});

test('fields out of order, repeated or in a longer encoding are not a valid blob', () => {
  const signer = createSigner(seededRandom('order'), 'ed25519');
  const { signature } = signIn(signer, 'login');
  const readable = (hex: string) => readSignedBlob(hexToBytes(hex)) !== undefined;
  assert.equal(readable(signature), true);
  assert.equal(readable(`${signature.slice(10)}${signature.slice(0, 10)}`), false);
  assert.equal(readable(`${signature.slice(0, 10)}${signature}`), false);
  assert.equal(readable(signature.replace(/^22/, '2002')), false);
  assert.equal(readable(signature.replace(/^22/, '0202')), false);
  assert.equal(readable(signature.slice(0, -2)), false);
  assert.equal(readable(`${signature}E1`), false);
  assert.equal(readable('EA'.repeat(5000)), false);
  assert.equal(readSignedBlob(utf8ToBytes('just a text')), undefined);
});

test('classic addresses and X-addresses of the network without a tag are one account', () => {
  // Published with the specification of X-addresses (XLS-5).
  const classic = 'rGWrZyQqhTp9Xu7G5Pkayo7bXjH4k4QYpf';
  const mainnetForm = 'XVLhHMPHU98es4dbozjVtdWzVrDjtV5fdx1mHp98tDMoQXb';
  const testnetForm = 'TVE26TYGhfLC7tQDno7G8dGtxSkYQn49b3qD26PK7FcGSKE';
  const taggedForm = 'XVLhHMPHU98es4dbozjVtdWzVrDjtV8AqEL4xcZj5whKbmc';
  assert.equal(wallets.normalizeAddress(classic, '0'), classic);
  assert.equal(wallets.normalizeAddress(classic, '1'), classic);
  assert.equal(wallets.normalizeAddress(mainnetForm, '0'), classic);
  assert.equal(wallets.normalizeAddress(mainnetForm, '1'), undefined);
  assert.equal(wallets.normalizeAddress(testnetForm, '1'), classic);
  assert.equal(wallets.normalizeAddress(testnetForm, '0'), undefined);
  assert.equal(wallets.normalizeAddress(taggedForm, '0'), undefined);
  for (const given of [
    '',
    ` ${classic}`,
    `${classic}r`,
    classic.toLowerCase(),
    classic.replace('G', 'H'),
    'r'.repeat(1e5),
  ]) {
    assert.equal(wallets.normalizeAddress(given, '0'), undefined);
  }
  assert.equal(wallets.normalizeAddress(classic, '9'), undefined);
  assert.equal(createXrplWallets({ chains: ['21337'] }).normalizeAddress(classic, '21337'), classic);
});
