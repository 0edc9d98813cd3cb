import { equalBytes } from '@noble/curves/utils.js';
import { TaprootControlBlock } from '@scure/btc-signer';
import { tapLeafHash } from '@scure/btc-signer/payment.js';
import { compareBytes, tagSchnorr, taprootTweakPubkey } from '@scure/btc-signer/utils.js';
import { checkSchnorr } from './check-signature.ts';
import { invalid, type Judgement, unknown, valid } from './judgement.ts';
import { taprootSighash } from './sighash.ts';
import type { Spending } from './to-sign.ts';

const annexTag = 0x50;

/** Judges a Taproot input by its key. Its scripts are looked at, but only a node could run them. */
export function checkTaproot({ toSign, index, input, spent }: Spending, outputKey: Uint8Array): Judgement {
  const [first] = input.witness;
  if (!first) return invalid('The signature holds no witness.');
  if (input.witness.length === 1) {
    return checkSchnorr(first, outputKey, (hashType) => taprootSighash(toSign, index, spent, hashType))
      ? valid
      : invalid('The signature is not one of this address over this message.');
  }
  const [script, control] = input.witness.slice(-2);
  if (control?.[0] === annexTag) return unknown('The signature holds an annex, which has no meaning yet.');
  if (!script || !control || !isCommitted(script, control, outputKey)) {
    return invalid('The script in the signature is not a script of this address.');
  }
  return unknown('The signature takes a Taproot script path; sign with the key of the address instead.');
}

/** Whether the key of the output was made from this script (BIP-341). */
function isCommitted(script: Uint8Array, control: Uint8Array, outputKey: Uint8Array): boolean {
  const { version, internalKey, merklePath } = TaprootControlBlock.decode(control);
  const root = merklePath.reduce<Uint8Array>(
    (node, sibling) => tagSchnorr('TapBranch', ...[node, sibling].sort(compareBytes)),
    tapLeafHash(script, version & 0xfe),
  );
  const [key, parity] = taprootTweakPubkey(internalKey, root);
  return equalBytes(key, outputKey) && parity === (version & 1);
}
