import type { ProofVerdict } from '@latchkey/core/ports';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { invalid, type WalletClaim } from '../wallet-namespace.ts';
import { addressOfPublicKey } from './address.ts';
import { readSignedBlob } from './signed-blob.ts';
import { parseHex, verifyXrplBytes } from './verify-bytes.ts';

// Longer blobs than a transaction may be are not read.
const longestBlobBytes = 65_536;

/** Whatever the ledger itself has signed starts with three letters and a zero byte: STX, SMT, CLM … */
function hasLedgerPrefix(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && bytes[3] === 0;
}

/** A text that was signed with the key of the account itself. */
function verifyText({ address, message, signature, publicKey }: WalletClaim): ProofVerdict {
  const key = parseHex(publicKey);
  if (key?.length !== 33) return invalid('The public key is not 33 bytes in hexadecimal.');
  if (addressOfPublicKey(key) !== address) return invalid('The public key is of another account.');
  const signatureBytes = parseHex(signature);
  if (!signatureBytes || signatureBytes.length > 72) return invalid('The signature is no hexadecimal text.');
  const bytes = utf8ToBytes(message);
  if (hasLedgerPrefix(bytes)) return invalid('What was signed could be a transaction.');
  return verifyXrplBytes(bytes, signatureBytes, key)
    ? { kind: 'valid', address }
    : invalid('The signature does not fit.');
}

/** A sign-in of Xaman: a transaction without a type, which no ledger takes, with the text as its memo. */
function verifySignIn({ address, message, signature }: WalletClaim): ProofVerdict {
  const bytes = parseHex(signature);
  const blob = bytes && bytes.length <= longestBlobBytes ? readSignedBlob(bytes) : undefined;
  if (!blob) return invalid('The signature is no signed blob in hexadecimal.');
  if (blob.isTransaction) return invalid('What was signed is a transaction.');
  if (blob.account !== address) return invalid('Another account signed in.');
  if (blob.memo !== message) return invalid('Another text was signed.');
  const isSigner = blob.signers?.length === 1 && blob.signers[0] === address;
  return isSigner ? { kind: 'valid', address } : invalid('The signature does not fit.');
}

export function verifyXrplClaim(claim: WalletClaim): ProofVerdict {
  return claim.publicKey === undefined ? verifySignIn(claim) : verifyText(claim);
}
