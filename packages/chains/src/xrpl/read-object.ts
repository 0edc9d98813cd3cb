import { readInput } from '@latchkey/kernel';

/** A field of a serialized object: which one it is, where it stands, and its contents. */
export interface LedgerField {
  type: number;
  number: number;
  /** Where its header starts and where its contents end. */
  start: number;
  end: number;
  /** Its contents without header and length; the fields within for an object or array. */
  bytes: Uint8Array;
  fields: readonly LedgerField[];
}

const amountType = 6;
const objectType = 14;
const arrayType = 15;
const endMarkerNumber = 1;
const deepestNesting = 4;

// Types of a fixed length, and those that carry their own: blobs, accounts, lists of hashes.
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

  /** Type and number of the next field; the long form is only for numbers that the short one cannot hold. */
  header(): [number, number] {
    const first = this.byte();
    const type = first >> 4 || this.#longPart();
    const number = first & 15 || this.#longPart();
    return [type, number];
  }

  #longPart(): number {
    const part = this.byte();
    if (part < 16) throw new Error('A field is spelled in the long form without need.');
    return part;
  }

  prefixedLength(): number {
    const first = this.byte();
    if (first <= 192) return first;
    if (first <= 240) return 193 + (first - 193) * 256 + this.byte();
    if (first <= 254) return 12481 + (first - 241) * 65536 + this.byte() * 256 + this.byte();
    throw new Error('A length has no meaning.');
  }
}

function readContents(cursor: Cursor, type: number): Uint8Array {
  if (prefixedTypes.includes(type)) return cursor.take(cursor.prefixedLength());
  // An amount is 8 bytes of the ledger's own currency or 48 of an issued one, by its first bit.
  const length = type === amountType ? ((cursor.bytes[cursor.place] ?? 0) & 0x80 ? 48 : 8) : fixedLengths.get(type);
  if (length === undefined) throw new Error('A field is of a type that is not read here.');
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

/** Reads a serialized object whose fields stand in their one canonical order, or undefined when these bytes are none. */
export function readLedgerObject(bytes: Uint8Array): LedgerField[] | undefined {
  const fields = readInput(() => readFields(new Cursor(bytes), undefined, 0));
  const order = fields?.map(({ type, number }) => type * 256 + number);
  return order?.every((place, index) => index === 0 || place > (order[index - 1] ?? 0)) ? fields : undefined;
}
