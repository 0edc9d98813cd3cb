import { equalBytes } from '@noble/curves/utils.js';
import { OutScript } from '@scure/btc-signer';
import { hash160 } from '@scure/btc-signer/utils.js';
import { invalid, type Judgement, unknown, valid } from './judgement.ts';

export interface StackRules {
  /** Judges one signature against one key. */
  check(signature: Uint8Array, publicKey: Uint8Array): boolean;
  /** Witnesses hold compressed keys only. */
  compressedKeysOnly: boolean;
}

const wrongSignature = invalid('The signature is not one of this address over this message.');

/** Judges whether what was put on the stack satisfies a script that asks for signatures and for nothing else. */
export function checkStack(script: Uint8Array, stack: readonly Uint8Array[], rules: StackRules): Judgement {
  const asked = OutScript.decode(script);
  switch (asked.type) {
    case 'pk':
      return checkKeys(stack, 1, [asked.pubkey], rules);
    case 'pkh': {
      const [signature, publicKey] = stack;
      if (stack.length !== 2 || !signature || !publicKey) return wrongSignature;
      if (!equalBytes(hash160(publicKey), asked.hash)) return invalid('The key is not the key of this address.');
      return checkKeys([signature], 1, [publicKey], rules);
    }
    case 'ms': {
      const [dummy, ...signatures] = stack;
      if (dummy?.length !== 0) return wrongSignature;
      return checkKeys(signatures, asked.m, asked.pubkeys, rules);
    }
    default:
      return unknown('The address is locked by a script that this server cannot run; use an address of plain keys.');
  }
}

/** Signatures stand in the order of their keys, as CHECKMULTISIG wants them; each key can answer once. */
function checkKeys(
  signatures: readonly Uint8Array[],
  needed: number,
  publicKeys: readonly Uint8Array[],
  rules: StackRules,
): Judgement {
  if (signatures.length !== needed) return wrongSignature;
  if (rules.compressedKeysOnly && publicKeys.some((key) => key.length !== 33)) return wrongSignature;
  let place = 0;
  for (const signature of signatures) {
    const found = publicKeys.findIndex((key, index) => index >= place && rules.check(signature, key));
    if (found < 0) return wrongSignature;
    place = found + 1;
  }
  return valid;
}
