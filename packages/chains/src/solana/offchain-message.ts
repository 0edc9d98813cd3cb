import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';

// The first byte is the number of no transaction version, so that these bytes can never be one.
const signingDomain = concatBytes(Uint8Array.of(0xff), utf8ToBytes('solana offchain'));
const version = 0;
// What fits one packet beside the header; hardware wallets show no more.
const packetLimitBytes = 1212;
const limitBytes = 65515;

function formatOf(bytes: Uint8Array): number {
  if (bytes.length > packetLimitBytes) return 2;
  return bytes.every((byte) => byte >= 0x20 && byte <= 0x7e) ? 0 : 1;
}

/** The bytes that are signed for a text in the off-chain message format 0, or undefined when the format cannot hold it. */
export function encodeOffchainMessage(text: string): Uint8Array | undefined {
  const bytes = utf8ToBytes(text);
  if (bytes.length === 0 || bytes.length > limitBytes) return undefined;
  const header = Uint8Array.of(version, formatOf(bytes), bytes.length & 0xff, bytes.length >> 8);
  return concatBytes(signingDomain, header, bytes);
}
