import type { NearDraft, NearSigned } from '@latchkey/core/ports';
import {
  baseEncode,
  decodeSignedTransaction,
  KeyPairSigner,
  KeyType,
  PublicKey,
  Signature,
  SignedTransaction,
} from 'near-api-js';
import { encodeDraft, toTransaction } from './draft-transaction.ts';
import { isEd25519Signed } from './is-signed.ts';

// The number of the curve, and 64 bytes.
const signatureBytes = 65;

/** Signs drafts with a secret key (`ed25519:` and base58). */
export function createSigner(secretKey: string): {
  publicKey: Promise<string>;
  sign(draft: NearDraft): Promise<NearSigned>;
} {
  const signer = readSecret(secretKey);
  return {
    publicKey: signer.getPublicKey().then(String),
    sign: async (draft) => {
      const { signedTransaction, txHash } = await signer.signTransaction(toTransaction(draft));
      return {
        bytes: signedTransaction.encode(),
        hash: baseEncode(txHash),
        signerId: draft.signerId,
        receiverId: draft.receiverId,
      };
    },
  };
}

function readSecret(secretKey: string): KeyPairSigner {
  try {
    return KeyPairSigner.fromSecretKey(secretKey as `ed25519:${string}`);
  } catch {
    // The library's own words would repeat what it was given.
    throw new Error('The private key of the NEAR account must be ed25519: and base58.');
  }
}

/** Puts a signature that somebody else made to a draft. */
export function attachSignature(draft: NearDraft, signature: Uint8Array): NearSigned | undefined {
  const { digest, hash } = encodeDraft(draft);
  if (!isEd25519Signed(draft.publicKey, digest, signature)) return undefined;
  const signed = new SignedTransaction({
    transaction: toTransaction(draft),
    signature: new Signature({ keyType: KeyType.ED25519, data: signature }),
  });
  return { bytes: signed.encode(), hash, signerId: draft.signerId, receiverId: draft.receiverId };
}

/**
 * Reads a transaction that a wallet signed. Wallets choose the key, the nonce and the block themselves; the rest must be
 * what was asked for, byte for byte, or somebody could have one thing shown and another one sent.
 */
export function readSignedTransaction(
  bytes: Uint8Array,
  { signerId, receiverId, steps }: Pick<NearDraft, 'signerId' | 'receiverId' | 'steps'>,
): NearSigned | undefined {
  try {
    const { transaction, signature } = decodeSignedTransaction(bytes);
    const { nonce, blockHash, publicKey } = transaction;
    const given = {
      publicKey: PublicKey.from(publicKey).toString(),
      nonce: Number(nonce),
      blockHash: baseEncode(Uint8Array.from(blockHash)),
    };
    const { bytes: expected, digest, hash } = encodeDraft({ ...given, signerId, receiverId, steps });
    const isSame =
      bytes.length === expected.length + signatureBytes &&
      Buffer.compare(expected, bytes.subarray(0, expected.length)) === 0;
    const made = signature.ed25519Signature?.data;
    if (!isSame || made === undefined || !isEd25519Signed(given.publicKey, digest, Uint8Array.from(made)))
      return undefined;
    return { bytes, hash, signerId, receiverId };
  } catch {
    return undefined;
  }
}
