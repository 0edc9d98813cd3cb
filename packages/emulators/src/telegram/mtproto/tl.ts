import type { Argument, Definition, Schema } from './schema.ts';

/** An object of the schema: its constructor and its fields. */
export interface TlObject {
  _: string;
  [field: string]: TlValue;
}

/** `long` is a bigint, `int53` a number although it takes as much space, bytes and nonces are buffers. */
export type TlValue = number | bigint | string | boolean | Buffer | TlObject | readonly TlValue[] | undefined;

const vectorId = 0x1cb5c415;
const trueId = 0x997275b5;
const falseId = 0xbc799737;
const fixedBytes = new Map([
  ['int128', 16],
  ['int256', 32],
]);

/** A length, the bytes, and zeros up to a multiple of four. */
export function writeBytes(bytes: Uint8Array): Buffer {
  const isShort = bytes.length < 254;
  const head = isShort ? Buffer.from([bytes.length]) : Buffer.alloc(4);
  if (!isShort) head.writeUInt32LE(254 + bytes.length * 256);
  const length = head.length + bytes.length;
  return Buffer.concat([head, bytes, Buffer.alloc((4 - (length % 4)) % 4)]);
}

export function writeInt(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}

export function writeLong(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt.asUintN(64, value));
  return bytes;
}

/** Serializes an object, prefixed with the id of its constructor. */
export function writeObject(schema: Schema, object: TlObject): Buffer {
  const definition = schema.byName.get(object._);
  if (definition === undefined) throw new Error(`The schema has no ${object._}.`);
  return Buffer.concat([writeInt(definition.id), writeFields(schema, definition, object)]);
}

function writeFields(schema: Schema, { arguments: fields }: Definition, object: TlObject): Buffer {
  const isSet = ({ name }: Argument) => object[name] !== undefined && object[name] !== false;
  const parts = fields.map((field) => {
    const { name, type, typeModifiers: { predicate } = {} } = field;
    if (type === '#') return writeInt(flagsOf(fields.filter(isSet), name));
    if (predicate !== undefined && (type === 'true' || !isSet(field))) return Buffer.alloc(0);
    return writeField(schema, field, object[name]);
  });
  return Buffer.concat(parts);
}

function flagsOf(set: readonly Argument[], flags: string): number {
  let bits = 0;
  for (const { typeModifiers: { predicate = '' } = {} } of set) {
    const [name, bit] = predicate.split('.');
    if (name === flags) bits |= 1 << Number(bit);
  }
  return bits;
}

function writeField(schema: Schema, field: Argument, value: TlValue): Buffer {
  const { isVector, isBareVector, isBareType = false } = field.typeModifiers ?? {};
  if (!isVector && !isBareVector) return writeValue(schema, field, value, false);
  if (!Array.isArray(value)) throw new Error(`${field.name} is a list.`);
  const items = value.map((item: TlValue) => writeValue(schema, field, item, isBareType));
  return Buffer.concat([...(isBareVector ? [] : [writeInt(vectorId)]), writeInt(items.length), ...items]);
}

function writeValue(schema: Schema, { name, type }: Argument, value: TlValue, isBare: boolean): Buffer {
  if (typeof value === 'number' && type === 'int') return writeInt(value);
  if (typeof value === 'number' && type === 'int53') return writeLong(BigInt(value));
  if (typeof value === 'bigint' && type === 'long') return writeLong(value);
  if (typeof value === 'string' && type === 'string') return writeBytes(Buffer.from(value));
  if (typeof value === 'boolean' && type === 'Bool') return writeInt(value ? trueId : falseId);
  if (Buffer.isBuffer(value)) return type === 'bytes' ? writeBytes(value) : value;
  if (typeof value !== 'object' || Array.isArray(value) || !('_' in value))
    throw new Error(`${name} is no ${type}: ${typeof value}.`);
  return isBare ? writeObject(schema, value).subarray(4) : writeObject(schema, value);
}

/** Reads values in sequence. */
export class TlReader {
  readonly #schema: Schema;
  readonly #bytes: Buffer;
  position = 0;

  constructor(schema: Schema, bytes: Buffer) {
    this.#schema = schema;
    this.#bytes = bytes;
  }

  int(): number {
    return this.#take(4).readInt32LE();
  }

  long(): bigint {
    return this.#take(8).readBigInt64LE();
  }

  /** Returns the next `length` bytes unchanged. */
  raw(length: number): Buffer {
    return Buffer.from(this.#take(length));
  }

  bytes(): Buffer {
    const first = this.#take(1)[0] ?? 0;
    const isShort = first < 254;
    const bytes = this.raw(isShort ? first : this.#take(3).readUIntLE(0, 3));
    const length = bytes.length + (isShort ? 1 : 4);
    this.#take((4 - (length % 4)) % 4);
    return bytes;
  }

  peekId(): number {
    return this.#bytes.readUInt32LE(this.position);
  }

  object(): TlObject {
    const id = this.int() >>> 0;
    const definition = this.#schema.byId.get(id);
    if (definition === undefined) throw new Error(`The schema has no 0x${id.toString(16)}.`);
    const object: TlObject = { _: definition.name };
    const flags = new Map<string, number>();
    for (const field of definition.arguments) {
      const { name, type, typeModifiers: { predicate } = {} } = field;
      if (type === '#') {
        flags.set(name, this.int());
        continue;
      }
      const [word = '', bit] = predicate?.split('.') ?? [];
      const isThere = predicate === undefined || (((flags.get(word) ?? 0) >>> Number(bit)) & 1) === 1;
      if (isThere) object[name] = type === 'true' ? true : this.#field(field);
    }
    return object;
  }

  #field({ type, typeModifiers: { isVector } = {} }: Argument): TlValue {
    if (!isVector) return this.#value(type);
    if (this.int() >>> 0 !== vectorId) throw new Error('A list begins with the id of lists.');
    return Array.from({ length: this.int() }, () => this.#value(type));
  }

  #value(type: string): TlValue {
    const fixed = fixedBytes.get(type);
    if (fixed !== undefined) return this.raw(fixed);
    if (type === 'int') return this.int();
    if (type === 'long') return this.long();
    if (type === 'int53') return Number(this.long());
    if (type === 'string') return this.bytes().toString('utf8');
    if (type === 'bytes') return this.bytes();
    if (type === 'double') return this.#take(8).readDoubleLE();
    if (type === 'Bool') return this.int() >>> 0 === trueId;
    return this.object();
  }

  #take(length: number): Buffer {
    const end = this.position + length;
    if (length < 0 || end > this.#bytes.length) throw new Error('The bytes end too early.');
    const part = this.#bytes.subarray(this.position, end);
    this.position = end;
    return part;
  }
}
