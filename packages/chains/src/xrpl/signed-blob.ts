import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { decodeUtf8 } from '../decode-text.ts';
import { addressOfPublicKey, encodeAccountId } from './address.ts';
import { type LedgerField, readLedgerObject } from './read-object.ts';
import { verifyXrplBytes } from './verify-bytes.ts';

/** A transaction as a wallet hands it out after signing: an object with the signatures over the rest of it. */
export interface SignedBlob {
  /** Whether it has a type, so that the ledger would take it. */
  isTransaction: boolean;
  account: string | undefined;
  /** The contents of its memos, one after another. */
  memo: string;
  /** The accounts whose signatures fit; undefined if any does not. */
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

/** What is signed: all but the signatures. */
function withoutSignatures(bytes: Uint8Array, fields: readonly LedgerField[]): Uint8Array {
  const signatures = [find(fields, transactionSignature), find(fields, signersField)];
  const kept = fields.filter((field) => !signatures.includes(field));
  return concatBytes(...kept.map(({ start, end }) => bytes.subarray(start, end)));
}

/** The account of a signer, if its signature fits; with several signers each signs over its own account too. */
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

/** Reads a signed blob and checks its signatures; undefined when these bytes are none. */
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
