import type { ProofVerdict } from '@latchkey/core/ports';
import { decodeText, hexText } from '../decode-text.ts';
import type { WalletClaim } from '../wallet-namespace.ts';
import { type BitcoinAddress, parseAddress } from './address.ts';
import { decodeBase64, variants } from './decode-proof.ts';
import { invalid, type Judgement } from './judgement.ts';
import { type Bip137Options, verifyBip137 } from './verify-bip137.ts';
import { verifyBip322 } from './verify-bip322.ts';

const maxSignatureLength = 65_536;
const bip137Length = 65;

export async function verifyBitcoinClaim(claim: WalletClaim, options: Bip137Options): Promise<ProofVerdict> {
  const address = parseAddress(claim.address, claim.chain);
  if (!address) return { kind: 'invalid', reason: 'This is no address of this Bitcoin network.' };
  const judgement = await judgeSignature(address, claim, options);
  return judgement.kind === 'valid' ? { kind: 'valid', address: address.text } : judgement;
}

/** A prefix names a variant of BIP-322; without one, 65 bytes are of BIP-137 and all else is BIP-322's simple variant. */
async function judgeSignature(address: BitcoinAddress, claim: WalletClaim, options: Bip137Options): Promise<Judgement> {
  const { signature, message } = claim;
  if (typeof signature !== 'string' || signature.length > maxSignatureLength) {
    return invalid('The signature is not a text of a possible length.');
  }
  const variant = variants.find((prefix) => signature.startsWith(prefix));
  const bytes = decodeBase64(variant ? signature.slice(variant.length) : signature) ?? readHexBip137(signature);
  if (!bytes) return invalid('The signature is neither Base64 nor 65 bytes in hexadecimal.');
  if (!variant && bytes.length === bip137Length) return verifyBip137(address, message, bytes, options);
  return verifyBip322(address, message, variant ?? 'smp', bytes);
}

/** Some tools write BIP-137 signatures as hexadecimal digits, which are never Base64 of the same length. */
function readHexBip137(signature: string): Uint8Array | undefined {
  return decodeText(hexText, signature, bip137Length);
}
