import { equalBytes } from '@noble/curves/utils.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { OutScript, Script } from '@scure/btc-signer';
import { hash160 } from '@scure/btc-signer/utils.js';
import { checkEcdsa } from './check-signature.ts';
import { checkStack } from './check-stack.ts';
import { checkTaproot } from './check-taproot.ts';
import { invalid, type Judgement, unknown } from './judgement.ts';
import { legacySighash, witnessSighash } from './sighash.ts';
import type { Output, Spending, ToSign } from './to-sign.ts';

const strayScript = invalid('The signature holds a script that its address does not use.');
const strayWitness = invalid('The signature holds a witness that its address does not use.');
const otherScript = invalid('The script in the signature is not the script of this address.');

/** Judges whether one input may spend its output, as a Bitcoin node would under the rules of BIP-322. */
export function checkInput(toSign: ToSign, spent: readonly Output[], index: number): Judgement {
  const input = toSign.inputs[index];
  const output = spent[index];
  if (!input || !output) return invalid('The signature names an output that it does not describe.');
  const spending = { toSign, index, input, spent, amount: output.amount };
  const lock = OutScript.decode(output.script);
  switch (lock.type) {
    case 'pkh':
      return checkLegacy(spending, output.script, pushesOf(input.scriptSig));
    case 'sh':
      return checkScriptHash(spending, lock.hash);
    case 'wpkh':
    case 'wsh':
      return input.scriptSig.length > 0 ? strayScript : checkWitness(spending, lock);
    case 'tr':
      return input.scriptSig.length > 0 ? strayScript : checkTaproot(spending, lock.pubkey);
    default:
      return unknown('The signature spends an output of a kind that this server does not know.');
  }
}

function checkLegacy(spending: Spending, script: Uint8Array, stack: Uint8Array[] | undefined): Judgement {
  const { toSign, index, input } = spending;
  if (input.witness.length > 0) return strayWitness;
  if (!stack) return strayScript;
  const sighash = legacySighash(toSign, index, script);
  return checkStack(script, stack, {
    check: (signature, key) => checkEcdsa(signature, key, sighash),
    compressedKeysOnly: false,
  });
}

function checkScriptHash(spending: Spending, hash: Uint8Array): Judgement {
  const stack = pushesOf(spending.input.scriptSig);
  const redeemScript = stack?.pop();
  if (!stack || !redeemScript) return strayScript;
  if (!equalBytes(hash160(redeemScript), hash)) return otherScript;
  const lock = OutScript.decode(redeemScript);
  if (lock.type !== 'wpkh' && lock.type !== 'wsh') return checkLegacy(spending, redeemScript, stack);
  return stack.length > 0 ? strayScript : checkWitness(spending, lock);
}

function checkWitness(spending: Spending, lock: { type: 'wpkh' | 'wsh'; hash: Uint8Array }): Judgement {
  const stack = [...spending.input.witness];
  const script = lock.type === 'wpkh' ? OutScript.encode({ type: 'pkh', hash: lock.hash }) : stack.pop();
  if (!script || (lock.type === 'wsh' && !equalBytes(sha256(script), lock.hash))) return otherScript;
  const sighash = witnessSighash(spending.toSign, spending.index, script, spending.amount);
  return checkStack(script, stack, {
    check: (signature, key) => checkEcdsa(signature, key, sighash),
    compressedKeysOnly: true,
  });
}

/** What a script of nothing but pushes puts on the stack; undefined for other scripts and for longer spellings. */
function pushesOf(script: Uint8Array): Uint8Array[] | undefined {
  const parts = Script.decode(script);
  if (!equalBytes(Script.encode(parts), script)) return undefined;
  const pushes: Uint8Array[] = [];
  for (const part of parts) {
    if (part === 0) pushes.push(new Uint8Array());
    else if (part instanceof Uint8Array) pushes.push(part);
    else return undefined;
  }
  return pushes;
}
