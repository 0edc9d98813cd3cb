import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';

export const schemes = ['user-signature', 'account-proof'] as const;
export type Scheme = (typeof schemes)[number];

const tagLength = 32;
const minNonceLength = 32;

// What stands before the bytes says what they are: a transaction is signed behind another tag, so no agreement to a
// message can be sent as one.
const tags: Record<Scheme, Uint8Array> = {
  'user-signature': tag('FLOW-V0.0-user'),
  'account-proof': tag('FCL-ACCOUNT-PROOF-V0.0'),
};

export interface AccountProof {
  appIdentifier: string;
  /** `0x` and 16 hexadecimal digits. */
  address: string;
  /** At least 64 hexadecimal digits. */
  nonce: string;
}

/** The text that stands for an account proof as the message of a challenge: what the wallet signs, in digits. */
export function writeAccountProof({ appIdentifier, address, nonce }: AccountProof): string {
  const parts = [utf8ToBytes(appIdentifier), hexToBytes(address.replace(/^0x/, '')), hexToBytes(nonce)];
  const body = concatBytes(...parts.map((part) => concatBytes(rlpHead(0x80, part), part)));
  return bytesToHex(concatBytes(rlpHead(0xc0, body), body));
}

/** The bytes a wallet signs for a message; undefined when the message is no account proof for this address. */
export function signedBytes(scheme: Scheme, message: string, address: string): Uint8Array | undefined {
  if (scheme === 'user-signature') return taggedBytes(scheme, utf8ToBytes(message));
  if (!/^(?:[0-9a-f]{2})+$/.test(message)) return undefined;
  const bytes = hexToBytes(message);
  return isProofFor(address, bytes) ? taggedBytes(scheme, bytes) : undefined;
}

export function taggedBytes(scheme: Scheme, bytes: Uint8Array): Uint8Array {
  return concatBytes(tags[scheme], bytes);
}

function isProofFor(address: string, bytes: Uint8Array): boolean {
  const list = readItem(bytes, 0xc0);
  const app = list && readItem(list.item, 0x80);
  const account = app && readItem(app.rest, 0x80);
  const nonce = account && readItem(account.rest, 0x80);
  if (!nonce || list.rest.length > 0 || nonce.rest.length > 0) return false;
  return `0x${bytesToHex(account.item)}` === address && app.item.length > 0 && nonce.item.length >= minNonceLength;
}

/** The first item of RLP data and what follows it; undefined unless it is of this kind and longer than one byte. */
function readItem(bytes: Uint8Array, kind: 0x80 | 0xc0): { item: Uint8Array; rest: Uint8Array } | undefined {
  const [head = 0, longLength = 0] = bytes;
  const isLong = head === kind + 56;
  const length = isLong ? longLength : head - kind;
  const start = isLong ? 2 : 1;
  if (length < 0 || (isLong ? length < 56 : length > 55) || bytes.length < start + length) return undefined;
  return { item: bytes.subarray(start, start + length), rest: bytes.subarray(start + length) };
}

function rlpHead(kind: 0x80 | 0xc0, item: Uint8Array): Uint8Array {
  if (item.length < 2 || item.length > 255) throw new Error('Each part of an account proof has 2 to 255 bytes.');
  return item.length < 56 ? Uint8Array.of(kind + item.length) : Uint8Array.of(kind + 56, item.length);
}

function tag(name: string): Uint8Array {
  const padded = new Uint8Array(tagLength);
  padded.set(utf8ToBytes(name));
  return padded;
}
