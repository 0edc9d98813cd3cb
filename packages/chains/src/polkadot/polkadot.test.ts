import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { blake2b } from '@noble/hashes/blake2.js';
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import * as sr25519 from '@scure/sr25519';
import { createPolkadotWallets } from './index.ts';
import { decodeSs58, encodeSs58 } from './ss58.ts';
import { polkadotVectors, proofOfVector, walletsOfVector } from './test-vectors.ts';

const wallets = createPolkadotWallets();
const seed = hexToBytes('22'.repeat(32));
const message = 'Latchkey asks you to sign in.\nNonce: 4f2a';
const hex = (bytes: Uint8Array) => `0x${bytesToHex(bytes)}`;

/** Creates an account of each key type on Polkadot, with a function that signs bytes. */
function createSigners() {
  const srKey = sr25519.secretFromSeed(seed);
  const compressed = secp256k1.getPublicKey(seed, true);
  const options = { prehash: false, format: 'recovered' } as const;
  const signEcdsa = (bytes: Uint8Array) => {
    const [recovery = 0, ...numbers] = secp256k1.sign(blake2b(bytes, { dkLen: 32 }), seed, options);
    return Uint8Array.of(...numbers, recovery);
  };
  return {
    sr25519: { account: sr25519.getPublicKey(srKey), sign: (bytes: Uint8Array) => sr25519.sign(srKey, bytes, seed) },
    ed25519: { account: ed25519.getPublicKey(seed), sign: (bytes: Uint8Array) => ed25519.sign(bytes, seed) },
    ecdsa: { account: blake2b(compressed, { dkLen: 32 }), sign: signEcdsa },
  };
}

describe('Polkadot signatures', () => {
  it('every vector is verified correctly', async (t) => {
    const counts = { valid: 0, invalid: 0, unknown: 0 };
    for (const vector of polkadotVectors) {
      const verdict = await walletsOfVector(vector).verify(proofOfVector(vector));
      assert.equal(verdict.kind, vector.valid ? 'valid' : 'invalid', `${vector.name}: ${JSON.stringify(verdict)}`);
      counts[verdict.kind]++;
    }
    t.diagnostic(`${polkadotVectors.length} vectors: ${JSON.stringify(counts)}`);
    assert.deepEqual(counts, { valid: 11, invalid: 13, unknown: 0 });
  });

  it('a wrapped text is accepted from every kind of key, and a bare one only if allowed', async () => {
    for (const [cryptoType, { account, sign }] of Object.entries(createSigners())) {
      const address = encodeSs58({ prefix: 0, account });
      const proof = { chain: 'polkadot', address, message };
      const wrapped = hex(sign(utf8ToBytes(`<Bytes>${message}</Bytes>`)));
      const bare = hex(sign(utf8ToBytes(message)));
      const oneSpelling = encodeSs58({ prefix: 42, account });
      assert.deepEqual(await wallets.verify({ ...proof, signature: wrapped }), { kind: 'valid', address: oneSpelling });
      assert.equal((await wallets.verify({ ...proof, signature: bare })).kind, 'invalid', cryptoType);
      const lenient = createPolkadotWallets({ allowUnwrapped: true });
      assert.equal((await lenient.verify({ ...proof, signature: bare })).kind, 'valid', cryptoType);
    }
  });

  it('a signature is verified only with the declared kind of key', async () => {
    for (const [kind, { account, sign }] of Object.entries(createSigners())) {
      const address = encodeSs58({ prefix: 0, account });
      const signature = hex(sign(utf8ToBytes(`<Bytes>${message}</Bytes>`)));
      for (const cryptoType of ['sr25519', 'ed25519', 'ecdsa', 'ethereum', 'SR25519', '', 7, null]) {
        const verdict = await wallets.verify({
          chain: 'polkadot',
          address,
          message,
          signature,
          details: { cryptoType },
        });
        assert.equal(verdict.kind, cryptoType === kind ? 'valid' : 'invalid', `${kind} as ${cryptoType}`);
      }
    }
  });

  it('a key under which one signature verifies every message is refused', async () => {
    const identity = Uint8Array.of(1, ...new Uint8Array(31));
    const signature = hex(Uint8Array.of(...identity, ...new Uint8Array(32)));
    for (const account of [identity, new Uint8Array(32)]) {
      const address = encodeSs58({ prefix: 0, account });
      for (const forged of [signature, hex(new Uint8Array(64)), hex(Uint8Array.of(...new Uint8Array(63), 0x80))]) {
        assert.equal(
          (await wallets.verify({ chain: 'polkadot', address, message, signature: forged })).kind,
          'invalid',
        );
      }
    }
  });

  it('input that is not a signature is refused without throwing', async () => {
    const [first] = polkadotVectors;
    assert.ok(first);
    for (const signature of [
      '',
      '0x',
      '0x00',
      `0x${'zz'.repeat(64)}`,
      undefined,
      null,
      7,
      {},
      [],
      new Uint8Array(64),
    ]) {
      assert.equal((await wallets.verify({ ...proofOfVector(first), signature })).kind, 'invalid');
    }
  });
});

describe('Polkadot addresses', () => {
  const account = createSigners().sr25519.account;
  const spell = (prefix: number) => encodeSs58({ prefix, account });

  it('an account has one canonical form on all chains, and is accepted with its chain’s prefix or none', () => {
    assert.equal(wallets.normalizeAddress(spell(0), 'polkadot'), spell(42));
    assert.equal(wallets.normalizeAddress(spell(42), 'polkadot'), spell(42));
    assert.equal(wallets.normalizeAddress(spell(2), 'b0a8d493285c2df73290dfb7e61f870f'), spell(42));
    assert.equal(wallets.normalizeAddress(spell(2), 'polkadot'), undefined);
    assert.equal(wallets.normalizeAddress(spell(0), 'kusama'), undefined);
    assert.equal(wallets.normalizeAddress(spell(0), 'unheard-of'), undefined);
    assert.equal(wallets.normalizeAddress(hex(account), 'polkadot'), undefined);
  });

  it('a chain can be added with a prefix of two bytes', () => {
    const own = createPolkadotWallets({ networks: { mine: { accounts: 'ss58', prefix: 7391 } } });
    assert.equal(own.normalizeAddress(spell(7391), 'mine'), spell(42));
    assert.equal(own.normalizeAddress(spell(0), 'polkadot'), spell(42));
    assert.equal(wallets.normalizeAddress(spell(7391), 'mine'), undefined);
  });

  it('every prefix survives a round trip, and published addresses are accepted', () => {
    for (let prefix = 0; prefix <= 16_383; prefix += 61) assert.equal(decodeSs58(spell(prefix))?.prefix, prefix);
    assert.throws(() => spell(16_384), /0 to 16383/);
    assert.equal(decodeSs58('15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5')?.prefix, 0);
    assert.equal(decodeSs58('5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY')?.prefix, 42);
  });

  it('on Ethereum-style chains only EIP-55 and single-case forms are addresses', () => {
    const address = '0x54Dab85EE2c7b9F7421100d7134eFb5DfA4239bF';
    assert.equal(wallets.normalizeAddress(address.toLowerCase(), 'moonbeam'), address);
    assert.equal(wallets.normalizeAddress(address, 'moonbeam'), address);
    assert.equal(wallets.normalizeAddress(address.replace('D', 'd'), 'moonbeam'), undefined);
    assert.equal(wallets.normalizeAddress(address.slice(0, -1), 'moonbeam'), undefined);
    assert.equal(wallets.normalizeAddress(spell(42), 'moonbeam'), undefined);
    assert.equal(wallets.normalizeAddress(address, 'polkadot'), undefined);
  });
});
