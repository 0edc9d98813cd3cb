import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { hexToBytes } from '@noble/hashes/utils.js';
import { base64 } from '@scure/base';
import { Address, OutScript, RawTx, SigHash, Transaction } from '@scure/btc-signer';
import { hash160, signECDSA } from '@scure/btc-signer/utils.js';
import { createBitcoinWallets } from './index.ts';
import { type Output, opReturn, toSpendTxid } from './to-sign.ts';

const wallets = createBitcoinWallets();
const message = 'sign in';
const privateKey = hexToBytes('33'.repeat(32));

interface SignatureOptions {
  version?: number;
  outputs?: Output[];
  hashType?: number;
  compressed?: boolean;
  sequence?: number;
}

/** Verifies what a wallet with other rules would produce: mathematically correct, and signed with the key of the address. */
async function verdictOf({ version = 0, outputs = [opReturn], hashType = SigHash.ALL, ...options }: SignatureOptions) {
  const publicKey = secp256k1.getPublicKey(privateKey, options.compressed ?? true);
  const hash = hash160(publicKey);
  const address = Address().encode({ type: 'wpkh', hash });
  const input = {
    txid: toSpendTxid(message, OutScript.encode({ type: 'wpkh', hash })),
    index: 0,
    sequence: options.sequence ?? 0,
  };
  const transaction = new Transaction({ version, allowUnknownOutputs: true });
  transaction.addInput(input);
  for (const output of outputs) transaction.addOutput(output);
  const sighash = transaction.preimageWitnessV0(0, OutScript.encode({ type: 'pkh', hash }), hashType, 0n);
  const witness = [Uint8Array.of(...signECDSA(sighash, privateKey), hashType), publicKey];
  const inputs = [{ ...input, finalScriptSig: new Uint8Array() }];
  const bytes = RawTx.encode({ version, segwitFlag: true, inputs, outputs, witnesses: [witness], lockTime: 0 });
  return (await wallets.verify({ chain: 'mainnet', address, message, signature: `ful${base64.encode(bytes)}` })).kind;
}

describe('A full signature with the right key', () => {
  it('counts when it follows the rules, with a time lock too', async () => {
    assert.equal(await verdictOf({}), 'valid');
    assert.equal(await verdictOf({ version: 2, sequence: 144 }), 'valid');
  });

  it('does not count over anything but the empty output', async () => {
    const one = opReturn;
    assert.equal(await verdictOf({ outputs: [{ ...one, amount: 1n }] }), 'invalid');
    assert.equal(await verdictOf({ outputs: [{ ...one, script: Uint8Array.of(0x6a, 0x01, 0x07) }] }), 'invalid');
    assert.equal(await verdictOf({ outputs: [one, one] }), 'invalid');
  });

  it('does not count when it leaves parts of the transaction open', async () => {
    for (const hashType of [SigHash.NONE, SigHash.SINGLE, SigHash.ALL_ANYONECANPAY, SigHash.NONE_ANYONECANPAY]) {
      assert.equal(await verdictOf({ hashType }), 'invalid');
    }
  });

  it('does not count with an uncompressed key in a witness, which no node would accept', async () => {
    assert.equal(await verdictOf({ compressed: false }), 'invalid');
  });

  it('is undecided when its version has no meaning yet', async () => {
    assert.equal(await verdictOf({ version: 1 }), 'unknown');
    assert.equal(await verdictOf({ version: 3 }), 'unknown');
  });
});
