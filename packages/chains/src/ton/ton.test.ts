import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WalletProof } from '@latchkey/core/ports';
import { ed25519 } from '@noble/curves/ed25519.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { base64 } from '@scure/base';
import { Address, beginCell, Cell } from '@ton/core';
import { mutateBase64, seededRandom } from '../../vectors/mutate.ts';
import { readVectors } from '../../vectors/read-vectors.ts';
import { createTonWallets, type TonWalletsOptions } from './index.ts';
import { readWalletKey, walletContracts } from './state-init.ts';
import { proofOfVector, walletsOfVector } from './test-vectors.ts';
import { hashTonProof } from './verify.ts';

const vectors = readVectors('ton');

test('every TON vector is verified correctly', async (t) => {
  for (const vector of vectors) {
    const verdict = await walletsOfVector(vector).verify(proofOfVector(vector));
    assert.equal(verdict.kind, vector.valid ? 'valid' : 'invalid', vector.name);
  }
  const valid = vectors.filter((vector) => vector.valid).length;
  t.diagnostic(`${vectors.length} of ${vectors.length} TON vectors verified correctly (${valid} valid)`);
});

const random = seededRandom('ton tests');
const secretKey = random.bytes(32);
const publicKey = ed25519.getPublicKey(secretKey);
const domain = 'latchkey.example';
const nowSeconds = 1_794_700_000;
const clock = () => new Date(nowSeconds * 1000);

/** Creates an unknown contract that contains the key: any code will do. */
function stateInitOf(code: Cell, data: Cell): Cell {
  return beginCell().storeUint(0b00110, 5).storeRef(code).storeRef(data).endCell();
}
const strangeCode = beginCell().storeUint(0xc0de, 16).endCell();
const version4Data = beginCell().storeUint(0, 32).storeUint(698983191, 32).storeBuffer(Buffer.from(publicKey));
const strangeStateInit = stateInitOf(strangeCode, version4Data.storeBit(false).endCell());

function proofOf(hash: Uint8Array, details: Record<string, unknown> = {}, timestampSeconds = nowSeconds): WalletProof {
  const payload = 'nonce-42';
  const proofHash = hashTonProof({ account: { workchain: 0, hash }, domain, timestampSeconds, payload });
  return {
    chain: '-239',
    address: `0:${bytesToHex(hash)}`,
    message: payload,
    signature: base64.encode(ed25519.sign(proofHash, secretKey)),
    details: { timestamp: timestampSeconds, domain: { lengthBytes: 16, value: domain }, ...details },
  };
}

const verify = async (proof: WalletProof, options: Partial<TonWalletsOptions> = {}) =>
  (await createTonWallets({ domain, clock, ...options }).verify(proof)).kind;

test('the key of an unknown contract is read from the contract, never from the request', async () => {
  const proof = proofOf(strangeStateInit.hash(), { stateInit: strangeStateInit.toBoc().toString('base64') });
  const claimed = { ...proof, publicKey: bytesToHex(publicKey) };
  assert.equal(await verify(claimed), 'unknown');
  assert.equal(await verify(claimed, { findPublicKey: async () => undefined }), 'unknown');
  assert.equal(await verify(claimed, { findPublicKey: async () => ({ kind: 'key', publicKey }) }), 'valid');
  assert.equal(await verify(claimed, { findPublicKey: async () => ({ kind: 'none' }) }), 'invalid');
  const other = ed25519.getPublicKey(random.bytes(32));
  assert.equal(await verify(proof, { findPublicKey: async () => ({ kind: 'key', publicKey: other }) }), 'invalid');
});

test('without a StateInit the contract is read, and a failed lookup decides nothing', async () => {
  const proof = proofOf(random.bytes(32));
  const requests: unknown[] = [];
  const findPublicKey = async (...request: unknown[]) => {
    requests.push(request);
    return { kind: 'key' as const, publicKey };
  };
  assert.equal(await verify(proof, { findPublicKey }), 'valid');
  assert.deepEqual(requests, [[proof.address, '-239', undefined]]);
  assert.equal(await verify(proof, { findPublicKey: () => Promise.reject(new Error('down')) }), 'unknown');
  const broken = () => {
    throw new Error('broken');
  };
  assert.equal(await verify(proof, { findPublicKey: broken }), 'unknown');
});

test('a StateInit of another account is refused without a lookup', async () => {
  const findPublicKey = () => assert.fail('No lookup is needed.');
  const proof = proofOf(random.bytes(32), { stateInit: strangeStateInit.toBoc().toString('base64') });
  assert.equal(await verify(proof, { findPublicKey }), 'invalid');
});

test('a proof counts from a minute before its time until it is 15 minutes old', async () => {
  const findPublicKey = async () => ({ kind: 'key' as const, publicKey });
  const ages: [number, string][] = [
    [-61, 'invalid'],
    [-60, 'valid'],
    [0, 'valid'],
    [900, 'valid'],
    [901, 'invalid'],
  ];
  for (const [ageSeconds, expected] of ages) {
    const proof = proofOf(random.bytes(32), {}, nowSeconds - ageSeconds);
    assert.equal(await verify(proof, { findPublicKey }), expected, `${ageSeconds} s`);
  }
  assert.equal(await verify(proofOf(random.bytes(32)), { findPublicKey, maxAgeSeconds: -1 }), 'invalid');
});

test('the time may be sent as digits, the key in capitals or not at all, the address in any of its forms', async () => {
  const [vector] = vectors;
  assert.ok(vector);
  const wallets = walletsOfVector(vector);
  const proof = proofOfVector(vector);
  const { details = {}, address } = proof;
  const account = address.slice(2);
  const equivalents: WalletProof[] = [
    { ...proof, details: { ...details, timestamp: String(vector.timestamp) } },
    { ...proof, publicKey: String(proof.publicKey).toUpperCase() },
    { ...proof, publicKey: undefined },
    { ...proof, address: `0:${account.toUpperCase()}` },
    { ...proof, chain: '-3' },
  ];
  for (const equivalent of equivalents) assert.deepEqual(await wallets.verify(equivalent), { kind: 'valid', address });
});

test('every serialization of the same cells is the same StateInit', async () => {
  const [vector] = vectors;
  assert.ok(vector);
  const cell = Cell.fromBase64(String(vector.stateInit));
  const proof = proofOfVector(vector);
  for (const idx of [false, true]) {
    for (const crc32 of [false, true]) {
      const stateInit = cell.toBoc({ idx, crc32 }).toString('base64');
      const verdict = await walletsOfVector(vector).verify({ ...proof, details: { ...proof.details, stateInit } });
      assert.equal(verdict.kind, 'valid');
    }
  }
});

test('the key is found in the data of every known wallet contract, and nowhere else', () => {
  for (const [codeHash, contract] of walletContracts) {
    const { keyAtBit, dataBits, firstBit = true } = contract;
    const data = (bit: boolean, tail: number) => {
      const builder = beginCell().storeBit(bit);
      for (let n = 1; n < keyAtBit; n++) builder.storeBit(n % 3 === 0);
      builder.storeBuffer(Buffer.from(publicKey));
      for (let n = 0; n < tail; n++) builder.storeBit(false);
      return builder.endCell();
    };
    const tail = dataBits - keyAtBit - 256;
    assert.deepEqual(readWalletKey(data(firstBit, tail), contract), publicKey, codeHash);
    assert.equal(readWalletKey(data(firstBit, tail + 1), contract), undefined);
    if (contract.firstBit !== undefined) assert.equal(readWalletKey(data(!firstBit, tail), contract), undefined);
  }
});

test('addresses are stored raw and in lower case; the test form is refused on mainnet', () => {
  const wallets = createTonWallets({ domain, clock });
  const account = 'e4d954ef9f4e1250a26b5bbad76a1cdd17cfd08babad6f4c23e372270aef6f76';
  const friendly = [
    'EQDk2VTvn04SUKJrW7rXahzdF8_Qi6utb0wj43InCu9vdjrR',
    'UQDk2VTvn04SUKJrW7rXahzdF8_Qi6utb0wj43InCu9vdmcU',
  ];
  for (const form of [
    ...friendly,
    friendly[0]?.replaceAll('_', '/') ?? '',
    `0:${account}`,
    `0:${account.toUpperCase()}`,
  ]) {
    assert.equal(wallets.normalizeAddress(form, '-239'), `0:${account}`);
    assert.equal(wallets.normalizeAddress(form, '-3'), `0:${account}`);
    assert.equal(wallets.normalizeAddress(form, '1'), undefined);
    for (const strange of [` ${form}`, `${form}A`, form.slice(1), form.replace(/.$/, 'g')]) {
      assert.equal(wallets.normalizeAddress(strange, '-239'), undefined, strange);
    }
  }
  const marked = Address.parseRaw(`0:${account}`).toString({ testOnly: true });
  assert.equal(wallets.normalizeAddress(marked, '-239'), undefined);
  assert.equal(wallets.normalizeAddress(marked, '-3'), `0:${account}`);
  assert.equal(wallets.normalizeAddress(`-1:${account}`, '-239'), `-1:${account}`);
  assert.equal(wallets.normalizeAddress(`1:${account}`, '-239'), undefined);
  assert.equal(wallets.normalizeAddress(`-0:${account}`, '-239'), undefined);
});

test('a changed character in the checksummed form is always detected', () => {
  const wallets = createTonWallets({ domain, clock });
  const changes = seededRandom('friendly addresses');
  for (let n = 0; n < 500; n++) {
    const form = new Address(0, Buffer.from(changes.bytes(32))).toString({ bounceable: n % 2 === 0 });
    assert.notEqual(wallets.normalizeAddress(form, '-239'), undefined);
    const changed = mutateBase64(changes, form.replaceAll('-', '+').replaceAll('_', '/'));
    const read = wallets.normalizeAddress(changed, '-239');
    assert.equal(read, undefined, changed);
  }
});
