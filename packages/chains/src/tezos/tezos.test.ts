import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WalletProof } from '@latchkey/core/ports';
import { p256 } from '@noble/curves/nist.js';
import { concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { seededRandom } from '../../vectors/mutate.ts';
import { readVectors } from '../../vectors/read-vectors.ts';
import { decodeTezos, encodeTezos, signatureEncodings, type TezosCurve } from './encodings.ts';
import { createTezosWallets, tezosChains, toTezosPayload } from './index.ts';
import { signPayload, signText } from './test-proofs.ts';
import { findPayloadFault, isPackedText } from './verify.ts';

const vectors = readVectors('tezos');
const [mainnet = ''] = tezosChains;
const curves: readonly TezosCurve[] = ['ed25519', 'secp256k1', 'p256'];

test('every Tezos vector is verified correctly', async (t) => {
  const wallets = createTezosWallets();
  let byText = 0;
  for (const vector of vectors) {
    const payload = hexToBytes(vector.message);
    assert.equal(findPayloadFault(payload, vector) === undefined, vector.valid, vector.name);
    if (!isPackedText(payload)) continue;
    const proof = { ...vector, chain: mainnet, message: new TextDecoder().decode(payload.subarray(6)) };
    assert.equal((await wallets.verify(proof)).kind, vector.valid ? 'valid' : 'invalid', vector.name);
    byText++;
  }
  const valid = vectors.filter((vector) => vector.valid).length;
  t.diagnostic(
    `${vectors.length} of ${vectors.length} Tezos vectors verified correctly (${valid} valid), ${byText} by their text too`,
  );
});

for (const curve of curves) {
  test(`a text signed with a key on ${curve} is valid for the account of that key`, async () => {
    const wallets = createTezosWallets();
    const proof = signText(seededRandom(curve), curve, 'Tezos Signed Message: latchkey.example ✓');
    assert.deepEqual(await wallets.verify(proof), { kind: 'valid', address: proof.address });
    assert.equal((await wallets.verify({ ...proof, publicKey: undefined })).kind, 'invalid');
    assert.equal((await wallets.verify({ ...proof, chain: 'NetXunknown1234' })).kind, 'invalid');
    assert.equal((await createTezosWallets({ chains: ['NetXunknown1234'] }).verify(proof)).kind, 'invalid');
  });

  test(`bytes of an operation signed with a key on ${curve} never serve as a login`, () => {
    const random = seededRandom(`operation ${curve}`);
    for (const mark of [[0x03], [0x11], [0x12], [0x05, 0x02], [0x05, 0x01, 0, 0, 0, 0]]) {
      const payload = concatBytes(Uint8Array.of(...mark), random.bytes(80));
      assert.match(findPayloadFault(payload, signPayload(payload, curve, random.bytes(32))) ?? '', /packed text/);
    }
  });
}

test('the high-s twin of a P-256 signature is valid too, since the chain accepts both and signers produce both', async () => {
  const proof = signText(seededRandom('high s'), 'p256', 'either half');
  const bytes = decodeTezos(proof.signature, signatureEncodings)?.bytes ?? new Uint8Array();
  const { r, s } = p256.Signature.fromBytes(bytes);
  const emulator = new p256.Signature(r, p256.Point.Fn.neg(s)).toBytes();
  const signature = encodeTezos(emulator, 'p256', signatureEncodings);
  assert.notEqual(signature, proof.signature);
  assert.equal((await createTezosWallets().verify({ ...proof, signature })).kind, 'valid');
});

test('a payload is the packed text in hexadecimal', () => {
  assert.equal(toTezosPayload('héllo'), `0501${'00000006'}${Buffer.from('héllo').toString('hex')}`);
  assert.equal(isPackedText(hexToBytes(toTezosPayload(''))), true);
  assert.equal(isPackedText(concatBytes(hexToBytes(toTezosPayload('a')), utf8ToBytes('b'))), false);
  assert.equal(isPackedText(Uint8Array.of(5, 1, 0, 0, 0)), false);
});

test('addresses of every kind are verified by their checksum and stored unchanged', () => {
  const wallets = createTezosWallets();
  const known = [
    'tz1TwZZZSShtM73oEr74aDtDcns3UmFqaca6',
    'tz2EzZh8dhciPgTh4azWhgKCNz3HRh2ZvUhA',
    'tz3jLBYHVrWYKDRU5waQL91yzhuiGibeSGhR',
    'KT1J4E79F1qL6kGBSQ3yXBdXmuq5j4FNThK2',
  ];
  for (const address of known) {
    assert.equal(wallets.normalizeAddress(address, mainnet), address);
    for (const given of [
      ` ${address}`,
      `${address}1`,
      address.slice(1),
      address.toUpperCase(),
      `tz1${address.slice(3)}0`,
    ]) {
      assert.equal(wallets.normalizeAddress(given, mainnet), undefined);
    }
  }
  const key = 'edpkuxZ5AQVCeEJ9inUG3w6VFhio5KBwC22ekPLBzcvub3QY2DvJ7n';
  for (const given of [key, '', '0x00', 'tz1'.repeat(40_000)]) {
    assert.equal(wallets.normalizeAddress(given, mainnet), undefined);
  }
});

test('a contract cannot be claimed with a user key', async () => {
  const proof = signText(seededRandom('contract'), 'ed25519', 'hello');
  const claim: WalletProof = { ...proof, address: 'KT1J4E79F1qL6kGBSQ3yXBdXmuq5j4FNThK2' };
  assert.equal((await createTezosWallets().verify(claim)).kind, 'invalid');
});
