import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';

// NEP-413: 2^31 + 413, a length that no account id at the start of a transaction has.
const messageTag = 2 ** 31 + 413;

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

function borshText(text: string): Uint8Array {
  const bytes = utf8ToBytes(text);
  return concatBytes(uint32(bytes.length), bytes);
}

export interface SignMessagePayload {
  message: string;
  nonce: Uint8Array;
  recipient: string;
  callbackUrl: string | undefined;
}

/** Returns the hash that a wallet signs for NEP-413, over the tag and the payload in Borsh. */
export function hashSignMessage({ message, nonce, recipient, callbackUrl }: SignMessagePayload): Uint8Array {
  const callback = callbackUrl === undefined ? Uint8Array.of(0) : concatBytes(Uint8Array.of(1), borshText(callbackUrl));
  return sha256(concatBytes(uint32(messageTag), borshText(message), nonce, borshText(recipient), callback));
}

/**
 * Returns the hash that wallets signed before NEP-413: of the text alone. A transaction is hashed the same way, but it starts with the
 * length of an account id in four bytes, at least two of which are zero, so text with a zero byte is refused.
 */
export function hashLegacyMessage(message: string): Uint8Array | undefined {
  const bytes = utf8ToBytes(message);
  return bytes.includes(0) ? undefined : sha256(bytes);
}
