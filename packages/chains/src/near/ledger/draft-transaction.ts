import type { NearDraft, NearStep } from '@latchkey/core/ports';
import { sha256 } from '@noble/hashes/sha2.js';
import {
  type Action,
  actions,
  baseDecode,
  baseEncode,
  createTransaction,
  PublicKey,
  type Transaction,
} from 'near-api-js';

const tera = 1_000_000_000_000n;

function toAction(step: NearStep): Action {
  switch (step.kind) {
    case 'call':
      return actions.functionCall(step.method, step.args, BigInt(step.teraGas) * tera, BigInt(step.yocto));
    case 'transfer':
      return actions.transfer(BigInt(step.yocto));
    case 'create-account':
      return actions.createAccount();
    case 'add-full-access-key':
      return actions.addFullAccessKey(PublicKey.from(step.publicKey));
    case 'use-code-of':
      return actions.useGlobalContract({ accountId: step.accountId });
  }
}

export function toTransaction({ signerId, publicKey, nonce, receiverId, blockHash, steps }: NearDraft): Transaction {
  const key = PublicKey.from(publicKey);
  return createTransaction(signerId, key, receiverId, BigInt(nonce), steps.map(toAction), baseDecode(blockHash));
}

/** The bytes that are signed, by their hash, which names the transaction. */
export function encodeDraft(draft: NearDraft): { bytes: Uint8Array; digest: Uint8Array; hash: string } {
  const bytes = toTransaction(draft).encode();
  const digest = sha256(bytes);
  return { bytes, digest, hash: baseEncode(digest) };
}
