import type { ProofVerdict } from '@latchkey/core/ports';
import { readInput } from '@latchkey/kernel';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { decodeUtf8 } from '../decode-text.ts';
import { verifyEd25519 } from '../ed25519.ts';
import { invalid, type WalletClaim } from '../wallet-namespace.ts';
import { addressOfPublicKey, encodeAccountId } from './address.ts';

// Blobs longer than a transaction can be are not parsed.
const longestBlobBytes = 65_536;

/** Everything that the ledger itself signs starts with three letters and a zero byte: STX, SMT, CLM … */
function hasLedgerPrefix(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && bytes[3] === 0;
}

/** Verifies a text signed with the key of the account itself. */
function verifyText({ address, message, signature, publicKey }: WalletClaim): ProofVerdict {
  const key = parseHex(publicKey);
  if (key?.length !== 33) return invalid('The public key is not 33 bytes in hexadecimal.');
  if (addressOfPublicKey(key) !== address) return invalid('The public key belongs to another account.');
  const signatureBytes = parseHex(signature);
  if (!signatureBytes || signatureBytes.length > 72) return invalid('The signature is not a hexadecimal string.');
  const bytes = utf8ToBytes(message);
  if (hasLedgerPrefix(bytes)) return invalid('What was signed could be a transaction.');
  return verifyXrplBytes(bytes, signatureBytes, key)
    ? { kind: 'valid', address }
    : invalid('The signature is not valid.');
}

/** Verifies a Xaman sign-in: a transaction without a type, which no ledger accepts, with the text as its memo. */
function verifySignIn({ address, message, signature }: WalletClaim): ProofVerdict {
  const bytes = parseHex(signature);
  const blob = bytes && bytes.length <= longestBlobBytes ? readSignedBlob(bytes) : undefined;
  if (!blob) return invalid('The signature is not a signed blob in hexadecimal.');
  if (blob.isTransaction) return invalid('What was signed is a transaction.');
  if (blob.account !== address) return invalid('Another account signed in.');
  if (blob.memo !== message) return invalid('A different message was signed.');
  const isSigner = blob.signers?.length === 1 && blob.signers[0] === address;
  return isSigner ? { kind: 'valid', address } : invalid('The signature is not valid.');
}

export function verifyXrplClaim(claim: WalletClaim): ProofVerdict {
  return claim.publicKey === undefined ? verifySignIn(claim) : verifyText(claim);
}

/** A transaction as a wallet returns it after signing: an object with the signatures over the rest of it. */
interface SignedBlob {
  /** Whether it has a type, so that the ledger would accept it. */
  isTransaction: boolean;
  account: string | undefined;
  /** The contents of its memos, in order. */
  memo: string;
  /** The accounts whose signatures are valid; undefined if any is not. */
  signers: readonly string[] | undefined;
}

type FieldName = readonly [type: number, number: number];
const transactionType: FieldName = [1, 2];
const signingPublicKey: FieldName = [7, 3];
const transactionSignature: FieldName = [7, 4];
const memoData: FieldName = [7, 13];
const accountField: FieldName = [8, 1];
const signersField: FieldName = [15, 3];
const memosField: FieldName = [15, 9];

const singlePrefix = utf8ToBytes('STX\0');
const multiplePrefix = utf8ToBytes('SMT\0');

function find(fields: readonly LedgerField[], [type, number]: FieldName): LedgerField | undefined {
  return fields.find((field) => field.type === type && field.number === number);
}

/** Returns what is signed: everything except the signatures. */
function withoutSignatures(bytes: Uint8Array, fields: readonly LedgerField[]): Uint8Array {
  const signatures = [find(fields, transactionSignature), find(fields, signersField)];
  const kept = fields.filter((field) => !signatures.includes(field));
  return concatBytes(...kept.map(({ start, end }) => bytes.subarray(start, end)));
}

/** Returns the account of a signer if its signature is valid. With several signers, each also signs its own account. */
function checkSigner(fields: readonly LedgerField[], signed: Uint8Array): string | undefined {
  const [publicKey, signature] = [find(fields, signingPublicKey)?.bytes, find(fields, transactionSignature)?.bytes];
  if (!publicKey || !signature || !verifyXrplBytes(signed, signature, publicKey)) return undefined;
  const account = find(fields, accountField)?.bytes;
  const address = addressOfPublicKey(publicKey);
  return account && encodeAccountId(account) === address ? address : undefined;
}

function checkSigners(bytes: Uint8Array, fields: readonly LedgerField[]): readonly string[] | undefined {
  const body = withoutSignatures(bytes, fields);
  const several = find(fields, signersField);
  if (!several) {
    const signer = checkSigner(fields, concatBytes(singlePrefix, body));
    return signer === undefined ? undefined : [signer];
  }
  const signers = several.fields.map((signer) => {
    const account = find(signer.fields, accountField)?.bytes ?? new Uint8Array();
    return checkSigner(signer.fields, concatBytes(multiplePrefix, body, account));
  });
  return signers.every((signer) => signer !== undefined) ? signers : undefined;
}

function readMemo(fields: readonly LedgerField[]): string | undefined {
  const memos = find(fields, memosField)?.fields ?? [];
  const parts = memos.map((memo) => find(memo.fields, memoData)?.bytes ?? new Uint8Array());
  return decodeUtf8(concatBytes(...parts));
}

/** Parses a signed blob and verifies its signatures; undefined for other bytes. */
export function readSignedBlob(bytes: Uint8Array): SignedBlob | undefined {
  const fields = readLedgerObject(bytes);
  const memo = fields && readMemo(fields);
  if (!fields || memo === undefined) return undefined;
  const account = find(fields, accountField)?.bytes;
  return {
    isTransaction: find(fields, transactionType) !== undefined,
    account: account && encodeAccountId(account),
    memo,
    signers: checkSigners(bytes, fields),
  };
}

const ed25519Mark = 0xed;

/** Decodes hexadecimal text in either case, or returns undefined. */
function parseHex(text: unknown): Uint8Array | undefined {
  if (typeof text !== 'string' || text.length % 2 === 1 || !/^[0-9a-fA-F]*$/.test(text)) return undefined;
  return new Uint8Array(Buffer.from(text, 'hex'));
}

/**
 * Verifies a signature with a key in the ledger's format: 33 bytes, of which the first is ED for Ed25519. On secp256k1 the signature must
 * be strict DER with low s, as the ledger requires.
 */
function verifyXrplBytes(bytes: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean {
  if (publicKey.length !== 33) return false;
  if (publicKey[0] === ed25519Mark) return verifyEd25519(signature, bytes, publicKey.subarray(1));
  const hash = sha512(bytes).subarray(0, 32);
  const options = { prehash: false, lowS: true, format: 'der' } as const;
  return readInput(() => secp256k1.verify(signature, hash, publicKey, options)) ?? false;
}

/** A field of a serialized object: its type and number, its position, and its contents. */
interface LedgerField {
  type: number;
  number: number;
  /** Where its header starts and where its contents end. */
  start: number;
  end: number;
  /** Its contents without header and length; for an object or array, the fields within. */
  bytes: Uint8Array;
  fields: readonly LedgerField[];
}

const amountType = 6;
const objectType = 14;
const arrayType = 15;
const endMarkerNumber = 1;
const deepestNesting = 4;

// Types of a fixed length. The others have a length prefix: blobs, accounts, lists of hashes.
const fixedLengths: ReadonlyMap<number, number> = new Map([
  [1, 2],
  [2, 4],
  [3, 8],
  [4, 16],
  [5, 32],
  [16, 1],
  [17, 20],
]);
const prefixedTypes: readonly number[] = [7, 8, 19];

class Cursor {
  place = 0;
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  byte(): number {
    const byte = this.bytes[this.place];
    if (byte === undefined) throw new Error('The object ends too early.');
    this.place++;
    return byte;
  }

  take(length: number): Uint8Array {
    if (this.place + length > this.bytes.length) throw new Error('The object ends too early.');
    this.place += length;
    return this.bytes.subarray(this.place - length, this.place);
  }

  /** Reads the type and number of the next field. The long form is only for numbers that the short one cannot hold. */
  header(): [number, number] {
    const first = this.byte();
    const type = first >> 4 || this.#longPart();
    const number = first & 15 || this.#longPart();
    return [type, number];
  }

  #longPart(): number {
    const part = this.byte();
    if (part < 16) throw new Error('A field uses the long encoding unnecessarily.');
    return part;
  }

  prefixedLength(): number {
    const first = this.byte();
    if (first <= 192) return first;
    if (first <= 240) return 193 + (first - 193) * 256 + this.byte();
    if (first <= 254) return 12481 + (first - 241) * 65536 + this.byte() * 256 + this.byte();
    throw new Error('Invalid length.');
  }
}

function readContents(cursor: Cursor, type: number): Uint8Array {
  if (prefixedTypes.includes(type)) return cursor.take(cursor.prefixedLength());
  // An amount is 8 bytes for the ledger's own currency or 48 for an issued one, depending on its first bit.
  const length = type === amountType ? ((cursor.bytes[cursor.place] ?? 0) & 0x80 ? 48 : 8) : fixedLengths.get(type);
  if (length === undefined) throw new Error('A field has an unsupported type.');
  return cursor.take(length);
}

function readFields(cursor: Cursor, container: number | undefined, depth: number): LedgerField[] {
  if (depth > deepestNesting) throw new Error('The object is nested too deeply.');
  const fields: LedgerField[] = [];
  while (container !== undefined || cursor.place < cursor.bytes.length) {
    const start = cursor.place;
    const [type, number] = cursor.header();
    if (type === container && number === endMarkerNumber) return fields;
    const nested = type === objectType || type === arrayType;
    const inner = nested ? readFields(cursor, type, depth + 1) : [];
    const bytes = nested ? cursor.bytes.subarray(start, cursor.place) : readContents(cursor, type);
    fields.push({ type, number, start, end: cursor.place, bytes, fields: inner });
  }
  return fields;
}

/** Parses a serialized object whose fields are in canonical order; undefined for other bytes. */
export function readLedgerObject(bytes: Uint8Array): LedgerField[] | undefined {
  const fields = readInput(() => readFields(new Cursor(bytes), undefined, 0));
  const order = fields?.map(({ type, number }) => type * 256 + number);
  return order?.every((place, index) => index === 0 || place > (order[index - 1] ?? 0)) ? fields : undefined;
}
