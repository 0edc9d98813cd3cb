import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hexToBytes } from '@noble/hashes/utils.js';
import { curveOf, hashOf } from './account-keys.ts';
import { createFlowWallets, writeAccountProof } from './index.ts';
import { flowVectors, keysOfVector, proofOfVector, walletsOf } from './test-vectors.ts';
import { checkKeySignature, readSignatures, taggedBytes } from './verify.ts';

const [firstVector] = flowVectors;
assert.ok(firstVector);
const proof = proofOfVector(firstVector);
const keys = keysOfVector(firstVector);
const wallets = walletsOf(proof.address, keys);

describe('Flow signatures', () => {
  it('every vector is verified correctly', async (t) => {
    const counts = { valid: 0, invalid: 0, unknown: 0 };
    for (const vector of flowVectors) {
      const verdict = await walletsOf(vector.address, keysOfVector(vector)).verify(proofOfVector(vector));
      assert.equal(verdict.kind, vector.valid ? 'valid' : 'invalid', `${vector.name}: ${JSON.stringify(verdict)}`);
      counts[verdict.kind]++;
    }
    t.diagnostic(`${flowVectors.length} vectors: ${JSON.stringify(counts)}`);
    assert.deepEqual(counts, { valid: 7, invalid: 13, unknown: 0 });
  });

  it('the bytes of an account proof do not count as a user signature', () => {
    const vector = flowVectors.find(({ name }) => name === 'account-proof replayed as user signature');
    const [key] = vector ? keysOfVector(vector) : [];
    const [signed] = readSignatures(vector?.signature) ?? [];
    assert.ok(vector && key && signed);
    const accountKey = { ...key, curve: curveOf(key.signAlgo), hash: hashOf(key.hashAlgo) };
    const check = (scheme: 'user-signature' | 'account-proof') =>
      checkKeySignature(accountKey, signed.signature, taggedBytes(scheme, hexToBytes(vector.message)));
    assert.equal(check('account-proof'), true);
    assert.equal(check('user-signature'), false);
  });

  it('an account proof is encoded as in FCL and counts for its own address only', async () => {
    const vector = flowVectors.find(({ scheme }) => scheme === 'account-proof');
    assert.ok(vector);
    const nonce = Buffer.from('076a4cc9d5db301f6bb921af4e4a196b').toString('hex');
    const parts = { appIdentifier: 'AWESOME-APP-ID', address: '0x0000abc123def456', nonce };
    assert.equal(writeAccountProof(parts), vector.message);
    const given = proofOfVector(vector);
    const own = walletsOf(vector.address, keysOfVector(vector));
    const others = [
      { ...parts, address: '0xf8d6e0586b0a20c7' },
      { ...parts, appIdentifier: 'ANOTHER-APP-ID' },
      { ...parts, nonce: `${nonce.slice(0, -1)}0` },
      { ...parts, nonce: nonce.slice(2) },
      { ...parts, appIdentifier: 'an application with a name of more than fifty-five letters' },
    ];
    for (const message of [...others.map(writeAccountProof), `${vector.message}00`, vector.message.toUpperCase(), '']) {
      assert.equal((await own.verify({ ...given, message })).kind, 'invalid', message);
    }
    assert.throws(() => writeAccountProof({ ...parts, appIdentifier: 'A' }), /2 to 255 bytes/);
    assert.throws(() => writeAccountProof({ ...parts, nonce: nonce.repeat(8) }), /2 to 255 bytes/);
  });

  it('nothing is decided while the chain is unavailable', async () => {
    const failing = createFlowWallets({ findAccountKeys: () => Promise.reject(new Error('The node is down.')) });
    assert.equal((await failing.verify(proof)).kind, 'unknown');
    assert.equal((await failing.verify({ ...proof, signature: 'malformed' })).kind, 'invalid');
  });

  it('a missing account, or one whose keys cannot sign, proves nothing', async () => {
    const verify = async (changed: object) =>
      (
        await walletsOf(
          proof.address,
          keys.map((key) => ({ ...key, ...changed })),
        ).verify(proof)
      ).kind;
    assert.equal((await createFlowWallets({ findAccountKeys: async () => undefined }).verify(proof)).kind, 'invalid');
    assert.equal((await walletsOf(proof.address, []).verify(proof)).kind, 'invalid');
    assert.equal(await verify({}), 'valid');
    assert.equal(await verify({ weight: 999 }), 'invalid');
    assert.equal(await verify({ revoked: true }), 'invalid');
    assert.equal(await verify({ signAlgo: 'BLS_BLS12_381' }), 'invalid');
    assert.equal(await verify({ hashAlgo: 'SHA2_384' }), 'invalid');
    assert.equal(await verify({ hashAlgo: 'KMAC128_BLS_BLS12_381' }), 'invalid');
    assert.equal(await verify({ publicKey: '00'.repeat(64) }), 'invalid');
    // The node's response is malformed here, which says nothing about the member.
    assert.equal(await verify({ publicKey: 'abcd' }), 'unknown');
  });

  it('a key index may be a string, and a malformed signature list is refused without throwing', async () => {
    const [signed] = proof.signature as Record<string, unknown>[];
    assert.equal((await wallets.verify({ ...proof, signature: [{ ...signed, keyId: '0' }] })).kind, 'valid');
    const odd = ['00', '-0', ' 0', '0x0', '', 0.5, -1, Number.NaN, null, undefined, 1e21];
    const lists = odd.map((keyId) => [{ ...signed, keyId }]);
    const others = [
      undefined,
      null,
      '',
      7,
      {},
      [],
      [null],
      [[]],
      ['x'],
      [signed, null],
      Array(30).fill(signed),
      signed,
    ];
    for (const signature of [...lists, ...others, [{ ...signed, f_type: 'Signature' }], [{ ...signed, addr: 7 }]]) {
      assert.equal((await wallets.verify({ ...proof, signature })).kind, 'invalid', JSON.stringify(signature));
    }
  });
});

describe('Flow addresses', () => {
  it('leading zeros and 0x are optional, and there is one canonical form', () => {
    const normalized = '0x0000abc123def456';
    for (const spelled of [normalized, '0000abc123def456', '0xabc123def456', 'ABC123def456']) {
      assert.equal(wallets.normalizeAddress(spelled, 'emulator'), normalized);
    }
    for (const refused of ['', '0x', '0X1', '0x0', '0x00000000000000001', ' 0x1', '0xg', '0x0x1']) {
      assert.equal(wallets.normalizeAddress(refused, 'emulator'), undefined, refused);
    }
  });

  it('accounts of a network are recognized, and one wrong digit is detected', () => {
    // The service account and the contracts for tokens, staking and fees of each network.
    const accounts: Record<string, string[]> = {
      mainnet: ['0xe467b9dd11fa00df', '0xf233dcee88fe0abe', '0x1654653399040a61', '0x8624b52f9ddcd04a'],
      testnet: ['0x8c5303eaa26202d6', '0x9a0766d93b6608b7', '0x7e60df042a9c0868', '0x9eca2b38b18b5dfe'],
    };
    for (const [chain, addresses] of Object.entries(accounts)) {
      for (const address of addresses) {
        assert.equal(wallets.normalizeAddress(address, chain), address);
        assert.equal(wallets.normalizeAddress(address, chain === 'mainnet' ? 'testnet' : 'mainnet'), undefined);
        for (let place = 2; place < address.length; place++) {
          const digit = (Number.parseInt(address.charAt(place), 16) ^ 5).toString(16);
          const wrong = `${address.slice(0, place)}${digit}${address.slice(place + 1)}`;
          assert.equal(wallets.normalizeAddress(wrong, chain), undefined, wrong);
        }
      }
    }
    assert.equal(wallets.normalizeAddress('0xe467b9dd11fa00df', 'previewnet'), undefined);
  });
});
