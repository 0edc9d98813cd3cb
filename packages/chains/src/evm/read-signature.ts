import { hexToBytes } from '@noble/hashes/utils.js';

// Wallets that are contracts sign with whatever they like: several signatures in one, passkeys, their own deployment.
const maxSignatureBytes = 32 * 1024;

const hexText = /^0x(?:[0-9a-fA-F]{2})*$/;

function readHex(text: unknown): Uint8Array | undefined {
  if (typeof text !== 'string' || text.length > 2 + 2 * maxSignatureBytes || !hexText.test(text)) return undefined;
  return hexToBytes(text.slice(2));
}

/** Venly answers with the signature and its parts; parts that tell another story than the whole are a forgery. */
function readVenly(answer: object): Uint8Array | undefined {
  if (!('type' in answer && 'signature' in answer && 'r' in answer && 's' in answer && 'v' in answer)) return undefined;
  const { type, signature, r, s, v } = answer;
  if (type !== 'HEX_SIGNATURE' || typeof signature !== 'string') return undefined;
  const parts = [r, s, v].map((part) => (typeof part === 'string' ? part.replace(/^0x/, '') : '?'));
  return `0x${parts.join('')}`.toLowerCase() === signature.toLowerCase() ? readHex(signature) : undefined;
}

/** The bytes of what a wallet answered: hexadecimal text behind `0x`, or the object that Venly's wallets answer with. */
export function readSignature(signature: unknown): Uint8Array | undefined {
  return typeof signature === 'object' && signature !== null ? readVenly(signature) : readHex(signature);
}
