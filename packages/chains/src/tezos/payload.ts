import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';

// Packed data (5) that is a string (1). Operations start with 3, blocks with 0x11 or 0x12.
const packedString = Uint8Array.of(5, 1);
const headerBytes = packedString.length + 4;

/** A text as Micheline packs a string: the bytes that a wallet signs. */
export function packText(text: string): Uint8Array {
  const bytes = utf8ToBytes(text);
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, bytes.length);
  return concatBytes(packedString, length, bytes);
}

/** What to hand to a wallet as `payload` of a signing request of type `micheline`. */
export function toTezosPayload(text: string): string {
  return bytesToHex(packText(text));
}

/** Whether these are the bytes of one packed string: nothing else, for a signature over an operation moves funds. */
export function isPackedText(payload: Uint8Array): boolean {
  if (payload.length < headerBytes || packedString.some((byte, place) => payload[place] !== byte)) return false;
  const length = new DataView(payload.buffer, payload.byteOffset).getUint32(packedString.length);
  return length === payload.length - headerBytes;
}
