import { equalBytes } from '@noble/curves/utils.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { OutScript, RawTx } from '@scure/btc-signer';
import { RawPSBTV0 } from '@scure/btc-signer/psbt.js';
import {
  type Bip322Proof,
  type Challenge,
  type Output,
  type SignedInput,
  spentByMessage,
  transactionId,
} from './to-sign.ts';

interface PreviousTransaction {
  version: number;
  lockTime: number;
  inputs: { txid: Uint8Array; index: number; sequence: number; finalScriptSig: Uint8Array }[];
  outputs: Output[];
}

// The library's own types lose the fields of transactions on the way.
interface Psbt {
  global: { unsignedTx?: PreviousTransaction; genericSignedMessage?: Uint8Array };
  inputs: {
    nonWitnessUtxo?: PreviousTransaction;
    witnessUtxo?: Output;
    finalScriptSig?: Uint8Array;
    finalScriptWitness?: Uint8Array[];
  }[];
  outputs: object[];
}

// Each input costs the server a verification, and a login needs none of them.
const maxInputs = 20;
const globalFields = ['unsignedTx', 'version', 'genericSignedMessage'];
const witnessKinds = ['wpkh', 'wsh', 'tr', 'sh'];
const inputFields = ['nonWitnessUtxo', 'witnessUtxo', 'finalScriptSig', 'finalScriptWitness'];

/**
 * Reads a proof of funds: a finished PSBT whose further inputs are outputs of the signer. All of its signatures are
 * judged against the outputs that it describes. Whether those outputs exist and are unspent is not asked, because a
 * login proves an address and no funds. Throws at whatever is not such a PSBT.
 */
export function decodeProofOfFunds(bytes: Uint8Array, challenge: Challenge): Bip322Proof {
  const psbt: Psbt = RawPSBTV0.decode(bytes);
  const unsigned = psbt.global.unsignedTx;
  if (!unsigned || unsigned.inputs.length < 2 || unsigned.inputs.length > maxInputs || psbt.outputs.length !== 1) {
    throw new Error(`A proof of funds has 2 to ${maxInputs} inputs and one output.`);
  }
  refuseOtherFields(psbt);
  const named = psbt.global.genericSignedMessage;
  if (named && !equalBytes(named, utf8ToBytes(challenge.message))) throw new Error('The proof names another message.');
  const inputs = unsigned.inputs.map(({ txid, index, sequence }, place): SignedInput => {
    const { finalScriptSig = new Uint8Array(), finalScriptWitness = [] } = psbt.inputs[place] ?? {};
    return { txid, index, sequence, scriptSig: finalScriptSig, witness: finalScriptWitness };
  });
  const outpoints = new Set(inputs.map(({ txid, index }) => `${bytesToHex(txid)}:${index}`));
  if (outpoints.size !== inputs.length) throw new Error('The proof spends an output twice.');
  const { version, lockTime, outputs } = unsigned;
  return { toSign: { version, lockTime, inputs, outputs }, spent: findSpent(psbt, inputs, challenge) };
}

/** A finished PSBT carries nothing else; what is not signed must not be able to vary. */
function refuseOtherFields(psbt: Psbt): void {
  const strange = (map: object, known: readonly string[]) => Object.keys(map).some((field) => !known.includes(field));
  if (
    strange(psbt.global, globalFields) ||
    psbt.inputs.some((input) => strange(input, inputFields)) ||
    psbt.outputs.some((output) => strange(output, []))
  ) {
    throw new Error('The proof holds fields that a finished one does not have.');
  }
}

function findSpent(psbt: Psbt, inputs: readonly SignedInput[], challenge: Challenge): Output[] {
  // A transaction may be given once for several inputs that spend from it.
  const previous = new Map<string, PreviousTransaction>();
  for (const { nonWitnessUtxo } of psbt.inputs) {
    if (nonWitnessUtxo) previous.set(bytesToHex(idOf(nonWitnessUtxo)), nonWitnessUtxo);
  }
  const spent = inputs.map(({ txid, index, witness }, place): Output => {
    const { witnessUtxo, nonWitnessUtxo } = psbt.inputs[place] ?? {};
    if (nonWitnessUtxo && !equalBytes(idOf(nonWitnessUtxo), txid)) throw new Error('The proof tells another past.');
    const output = previous.get(bytesToHex(txid))?.outputs[index];
    if (output && witnessUtxo && !isSame(output, witnessUtxo)) throw new Error('The proof contradicts itself.');
    if (output) return output;
    // Only signatures in witnesses commit to what they spend; for others the whole transaction has to be there.
    if (!witnessUtxo || witness.length === 0 || !witnessKinds.includes(OutScript.decode(witnessUtxo.script).type)) {
      throw new Error('The proof does not say what it spends.');
    }
    return witnessUtxo;
  });
  const [first] = spent;
  if (!first || !isSame(first, spentByMessage(challenge))) throw new Error('The proof is not about this address.');
  return spent;
}

function idOf({ version, inputs, outputs, lockTime }: PreviousTransaction): Uint8Array {
  return transactionId(RawTx.encode({ version, segwitFlag: false, inputs, outputs, lockTime }));
}

function isSame(one: Output, other: Output): boolean {
  return one.amount === other.amount && equalBytes(one.script, other.script);
}
