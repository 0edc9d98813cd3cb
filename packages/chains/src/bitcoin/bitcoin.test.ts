import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { base64 } from '@scure/base';
import { p2sh, p2tr, p2wpkh, RawWitness, SigHash } from '@scure/btc-signer';
import { signECDSA } from '@scure/btc-signer/utils.js';
import { parseAddress } from './address.ts';
import published from './bip322.vectors.json' with { type: 'json' };
import { witnessSighash } from './check-input.ts';
import { createBitcoinWallets } from './index.ts';
import {
  bitcoinVectors,
  inconclusiveNames,
  proofOfVector,
  proofsOfFunds,
  validProofs,
  walletsOfVector,
} from './test-vectors.ts';
import { hashMessage, opReturn, toSpendTxid } from './to-sign.ts';
import { legacyHash } from './verify-bip137.ts';

const wallets = createBitcoinWallets();
const privateKey = hexToBytes('11'.repeat(32));
const publicKey = secp256k1.getPublicKey(privateKey, true);

describe('Bitcoin signatures', () => {
  it('every vector is verified correctly, and the two inconclusive ones stay undecided', async (t) => {
    const counts = { valid: 0, invalid: 0, unknown: 0 };
    for (const vector of bitcoinVectors) {
      const verdict = await walletsOfVector(vector).verify(proofOfVector(vector));
      const expected = inconclusiveNames.includes(vector.name) ? 'unknown' : vector.valid ? 'valid' : 'invalid';
      assert.equal(verdict.kind, expected, `${vector.name}: ${JSON.stringify(verdict)}`);
      if (verdict.kind === 'unknown') assert.equal(verdict.isLasting, true, 'trying again does not help');
      counts[verdict.kind]++;
    }
    t.diagnostic(
      `${bitcoinVectors.length} vectors: ${JSON.stringify(counts)}; unknown: ${inconclusiveNames.join(', ')}`,
    );
    assert.deepEqual(counts, { valid: 32, invalid: 50, unknown: 2 });
  });

  it('messages and virtual transactions match the hashes published in BIP-322', () => {
    for (const { message, address, messageHash, toSpend } of published.hashes) {
      assert.equal(bytesToHex(hashMessage(message)), messageHash);
      const script = parseAddress(address, 'mainnet')?.script;
      assert.ok(script);
      assert.equal(bytesToHex(toSpendTxid(message, script)), toSpend);
    }
  });

  it('the published proofs of funds are valid for their address and message only', async () => {
    for (const [place, proof] of proofsOfFunds.entries()) {
      assert.deepEqual(await wallets.verify(proof), { kind: 'valid', address: proof.address });
      const other = proofsOfFunds[(place + 1) % proofsOfFunds.length];
      assert.ok(other);
      assert.equal((await wallets.verify({ ...proof, message: `${proof.message} ` })).kind, 'invalid');
      assert.equal((await wallets.verify({ ...proof, address: other.address })).kind, 'invalid');
      assert.equal((await wallets.verify({ ...proof, signature: other.signature })).kind, 'invalid');
    }
  });

  it('a Taproot address is never proven by a recovered key, whichever key the header names', async () => {
    const message = 'sign in';
    const { address = '' } = p2tr(publicKey.subarray(1));
    const [recovery = 0, ...numbers] = secp256k1.sign(legacyHash(message), privateKey, {
      prehash: false,
      format: 'recovered',
    });
    for (const mode of [wallets, createBitcoinWallets({ lenientHeader: true })]) {
      for (const from of [27, 31, 35, 39]) {
        const signature = base64.encode(Uint8Array.of(from + recovery, ...numbers));
        const verdict = await mode.verify({ chain: 'mainnet', address, message, signature });
        assert.deepEqual(verdict, { kind: 'invalid', reason: 'Taproot addresses can only sign with BIP-322.' });
      }
    }
  });

  it('a wrapped key may sign by the simple variant, as wallets did before the variants had names', async () => {
    const message = 'sign in';
    const nested = p2sh(p2wpkh(publicKey));
    const address = nested.address ?? '';
    const input = { txid: toSpendTxid(message, nested.script), index: 0, sequence: 0 };
    const toSign = {
      version: 0,
      lockTime: 0,
      inputs: [{ ...input, scriptSig: new Uint8Array(), witness: [] }],
      outputs: [opReturn],
    };
    const scriptCode = hexToBytes(`76a914${bytesToHex(p2wpkh(publicKey).hash)}88ac`);
    const der = signECDSA(witnessSighash(toSign, 0, scriptCode, 0n), privateKey);
    const witness = [Uint8Array.of(...der, SigHash.ALL), publicKey];
    const signature = base64.encode(RawWitness.encode(witness));
    assert.equal((await wallets.verify({ chain: 'mainnet', address, message, signature })).kind, 'valid');
    const spoilt = base64.encode(RawWitness.encode([...witness, publicKey]));
    assert.equal((await wallets.verify({ chain: 'mainnet', address, message, signature: spoilt })).kind, 'invalid');
  });

  it('input that is not a signature is refused without throwing', async () => {
    const [first] = validProofs;
    assert.ok(first);
    const texts = ['', 'smp', 'ful', 'pof', 'pofcHNidP8=', 'smpAA==', 'smp//////8=', 'A'.repeat(70_000), '\u0000'];
    for (const signature of [...texts, undefined, null, 7, {}, [], [first.signature], new Uint8Array(65)]) {
      assert.equal((await wallets.verify({ ...first, signature })).kind, 'invalid');
    }
  });
});

describe('Bitcoin addresses', () => {
  it('Bech32 is stored in lower case and base58 unchanged', () => {
    const bech32 = 'bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l';
    assert.equal(wallets.normalizeAddress(bech32.toUpperCase(), 'mainnet'), bech32);
    assert.equal(wallets.normalizeAddress(bech32, '000000000019d6689c085ae165831e93'), bech32);
    const base58 = '3JvL6Ymt8MVWiCNHC7oWU6nLeHNJKLZGLN';
    assert.equal(wallets.normalizeAddress(base58, 'mainnet'), base58);
  });

  it('an address of another network, with a wrong checksum or without an owner is refused', () => {
    const refused: [string, string][] = [
      ['bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l', 'testnet'],
      ['tb1q9vza2e8x573nczrlzms0wvx3gsqjx7vaxwd45v', 'mainnet'],
      ['tb1q9vza2e8x573nczrlzms0wvx3gsqjx7vaxwd45v', 'regtest'],
      ['bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l', 'litecoin'],
      ['bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0m', 'mainnet'],
      ['bc1Q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l', 'mainnet'],
      ['3JvL6Ymt8MVWiCNHC7oWU6nLeHNJKLZGLM', 'mainnet'],
      // Anyone can spend from this address (BIP-433).
      ['bc1pfeessrawgf', 'mainnet'],
      // Witness version 2 is not defined yet.
      ['bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs', 'mainnet'],
      ['', 'mainnet'],
    ];
    for (const [address, chain] of refused) assert.equal(wallets.normalizeAddress(address, chain), undefined, address);
  });
});
