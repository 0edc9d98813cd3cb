import { createHash, type Hash } from 'node:crypto';
import type { signerSchema } from '../signer-schema/admit-signer.ts';

/**
 * A backup is a gzip of frames: a letter, the length and the content. `H` is the header, `T` starts a table, `D` is
 * some of its rows in COPY format, and `Z` ends the file with a hash of everything before it. A file without `Z` is
 * truncated.
 */
export type FrameType = 'H' | 'T' | 'D' | 'Z';

export interface Frame {
  type: FrameType;
  content: Buffer;
}

export interface BackupHeader {
  /** 2 if the file has the signer's tables, which versions that know only 1 would mistake for the platform's. */
  format: 1 | 2;
  createdAt: string;
  /** The schema: every applied migration, in order. */
  migrations: { name: string; hash: string }[];
  /** The fingerprints of the master keys that decrypt its sealed values. */
  keys: { id: string; fingerprint: string }[];
  sequences: { name: string; value: string; isCalled: boolean }[];
  /** The migrations of the signer's schema, if the file has its tables. */
  signer?: { name: string; hash: string }[];
}

export interface TableStart {
  name: string;
  columns: string[];
  /** Present if it is the signer's table, after all of the platform's. */
  schema?: typeof signerSchema;
}

/** An error with a backup, as a sentence for the operator. */
export class BackupError extends Error {}

const magic = Buffer.from('latchkey-backup\n');
const headBytes = 5;
const largestFrame = 64 * 1024 * 1024;

/** Encodes frames as bytes, and ends them with the hash. */
export class FrameWriter {
  readonly #hash: Hash = createHash('sha256');

  begin(): Buffer {
    return magic;
  }

  frame(type: Exclude<FrameType, 'Z'>, content: Buffer | object): Buffer {
    const bytes = encode(type, Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content)));
    this.#hash.update(bytes);
    return bytes;
  }

  end(): Buffer {
    return encode('Z', Buffer.from(this.#hash.digest('hex')));
  }
}

/** Reads frames, and throws if the file is damaged or truncated. */
export async function* readFrames(source: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  const hash = createHash('sha256');
  let kept = Buffer.alloc(0);
  let hasBegun = false;
  try {
    for await (const chunk of source) {
      kept = Buffer.concat([kept, chunk]);
      if (!hasBegun) {
        if (kept.length < magic.length) continue;
        if (!kept.subarray(0, magic.length).equals(magic)) throw new BackupError('This file is not a Latchkey backup.');
        kept = kept.subarray(magic.length);
        hasBegun = true;
      }
      for (let frame = cut(kept); frame !== undefined; frame = cut(kept)) {
        const bytes = kept.subarray(0, headBytes + frame.content.length);
        kept = kept.subarray(bytes.length);
        if (frame.type === 'Z') {
          if (frame.content.toString() !== hash.digest('hex')) throw new BackupError('The backup is damaged.');
          return;
        }
        hash.update(bytes);
        yield frame;
      }
    }
  } catch (error) {
    if (error instanceof BackupError) throw error;
    const isGzip = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
    if (!isGzip) throw error;
    throw new BackupError(hasBegun ? 'The backup is truncated or damaged.' : 'This file is not a Latchkey backup.', {
      cause: error,
    });
  }
  throw new BackupError(
    hasBegun ? 'The backup is truncated: its end is missing.' : 'This file is not a Latchkey backup.',
  );
}

function encode(type: FrameType, content: Buffer): Buffer {
  const head = Buffer.alloc(headBytes);
  head.write(type, 0);
  head.writeUInt32BE(content.length, 1);
  return Buffer.concat([head, content]);
}

function cut(bytes: Buffer): Frame | undefined {
  if (bytes.length < headBytes) return undefined;
  const type = String.fromCharCode(bytes[0] ?? 0);
  const length = bytes.readUInt32BE(1);
  if (!isFrameType(type) || length > largestFrame) throw new BackupError('The backup is damaged.');
  if (bytes.length < headBytes + length) return undefined;
  return { type, content: bytes.subarray(headBytes, headBytes + length) };
}

function isFrameType(type: string): type is FrameType {
  return ['H', 'T', 'D', 'Z'].includes(type);
}
