import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WalletProof } from '@latchkey/core/ports';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { base64 } from '@scure/base';
import { RawPSBTV0 } from '@scure/btc-signer/psbt.js';
import { createBitcoinWallets } from './index.ts';
import { proofsOfFunds } from './test-vectors.ts';

const wallets = createBitcoinWallets();
const [legacy, shared, taproot] = proofsOfFunds;
assert.ok(legacy && shared && taproot);

type Psbt = ReturnType<typeof RawPSBTV0.decode>;

async function verdictOf(proof: WalletProof, change: (psbt: Psbt) => void): Promise<string> {
  const psbt = RawPSBTV0.decode(base64.decode(String(proof.signature).slice(3)));
  change(psbt);
  const signature = `pof${base64.encode(RawPSBTV0.encode(psbt))}`;
  return (await wallets.verify({ ...proof, signature })).kind;
}

const inputOf = (psbt: Psbt, index: number) => {
  const input = psbt.inputs[index];
  assert.ok(input);
  return input;
};

describe('A proof of funds', () => {
  it('may name its message, but no other one', async () => {
    const name = (message: string) => (psbt: Psbt) => {
      psbt.global.genericSignedMessage = utf8ToBytes(message);
    };
    assert.equal(await verdictOf(taproot, name(taproot.message)), 'valid');
    assert.equal(await verdictOf(taproot, name(`${taproot.message}!`)), 'invalid');
    assert.equal(await verdictOf(taproot, name('')), 'invalid');
  });

  it('must be complete: every input signed and nothing unsigned in it', async () => {
    for (const proof of [legacy, shared, taproot]) {
      assert.equal(await verdictOf(proof, () => {}), 'valid');
      for (const index of [0, 1, 2]) {
        const unsigned = (psbt: Psbt) => {
          delete inputOf(psbt, index).finalScriptSig;
          delete inputOf(psbt, index).finalScriptWitness;
        };
        assert.equal(await verdictOf(proof, unsigned), 'invalid', `${proof.address}, input ${index}`);
        const stray = (psbt: Psbt) => {
          inputOf(psbt, index).unknown = [[{ type: 0xf0, key: Uint8Array.of(1) }, Uint8Array.of(2)]];
        };
        assert.equal(await verdictOf(proof, stray), 'invalid', `${proof.address}, input ${index}`);
      }
    }
  });

  it('must declare what it spends, correctly', async () => {
    const withoutPast = (index: number) => (psbt: Psbt) => {
      delete inputOf(psbt, index).nonWitnessUtxo;
      delete inputOf(psbt, index).witnessUtxo;
    };
    for (const proof of [legacy, shared, taproot]) {
      for (const index of [0, 1]) assert.equal(await verdictOf(proof, withoutPast(index)), 'invalid');
    }
    const richer = (psbt: Psbt) => {
      const { witnessUtxo } = inputOf(psbt, 2);
      assert.ok(witnessUtxo);
      inputOf(psbt, 2).witnessUtxo = { script: witnessUtxo.script, amount: witnessUtxo.amount + 1n };
    };
    assert.equal(await verdictOf(legacy, richer), 'invalid');
    assert.equal(await verdictOf(taproot, richer), 'invalid');
    const withoutWitness = (psbt: Psbt) => {
      const output = inputOf(psbt, 1).nonWitnessUtxo?.outputs[0];
      delete inputOf(psbt, 1).nonWitnessUtxo;
      inputOf(psbt, 1).witnessUtxo = output;
    };
    assert.equal(await verdictOf(legacy, withoutWitness), 'invalid');
  });
});
