import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { foldMissing } from './parts.ts';
import { policyOf } from './policy.ts';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
  '.xml': 'application/xml; charset=utf-8',
};

const compressed = {
  br: promisify(
    (data: Buffer, done: (error: Error | null, result: Buffer) => void) =>
      void brotliCompress(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }, done),
  ),
  gzip: promisify(gzip),
} as const;

export type Coding = keyof typeof compressed | 'identity';

export interface Body {
  data: Buffer;
  type: string;
  coding: Coding;
  etag: string;
  /** Its content security policy. */
  policy: string;
}

/** Below this, compressing saves nothing. */
const worthCompressingBytes = 1024;

/** Files with what they are compressed to, made once. The site is a few megabytes and does not change while it is served. */
export class Bodies {
  #kept = new Map<string, Promise<Body>>();
  #setUp: Readonly<Record<string, boolean>>;

  constructor(setUp: Readonly<Record<string, boolean>> = {}) {
    this.#setUp = setUp;
  }

  read(path: string, accepted: string): Promise<Body> {
    const coding = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : 'identity';
    const key = `${coding} ${path}`;
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const body = readBody(path, coding, this.#setUp);
    this.#kept.set(key, body);
    body.catch(() => this.#kept.delete(key));
    return body;
  }
}

async function readBody(path: string, wanted: Coding, setUp: Readonly<Record<string, boolean>>): Promise<Body> {
  const file = await readFile(path);
  const type = types[extname(path).toLowerCase()] ?? 'application/octet-stream';
  const isPage = type.startsWith('text/html');
  const data = isPage ? Buffer.from(foldMissing(file.toString(), setUp)) : file;
  const isText = /^text\/|json|xml|svg/.test(type) && data.byteLength >= worthCompressingBytes;
  const coding = isText ? wanted : 'identity';
  const etag = `"${createHash('sha256').update(data).digest('base64url').slice(0, 22)}-${coding}"`;
  const policy = policyOf(isPage ? data.toString() : '', isPage);
  return { data: coding === 'identity' ? data : await compressed[coding](data), type, coding, etag, policy };
}
