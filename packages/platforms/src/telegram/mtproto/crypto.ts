import { createCipheriv, createHash, createHmac, pbkdf2 } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { deflateSync, gunzipSync } from 'node:zlib';
import type { Random } from '@latchkey/kernel';
import { BaseCryptoProvider, type ICryptoProvider } from '@mtcute/core/utils.js';
import { ige256Decrypt, ige256Encrypt, initSync, SIMD_AVAILABLE } from '@mtcute/wasm';

const deriveKey = promisify(pbkdf2);
let loading: Promise<void> | undefined;

/** Loads the cipher that Node has not, once in a process. */
function loadWasm(): Promise<void> {
  loading ??= readWasm().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function readWasm(): Promise<void> {
  const file = SIMD_AVAILABLE ? 'mtcute-simd.wasm' : 'mtcute.wasm';
  initSync(await readFile(createRequire(import.meta.url).resolve(`@mtcute/wasm/${file}`)));
}

/** What the protocol needs of cryptography: Node's own, and AES in the mode IGE from WebAssembly. */
export class MtprotoCrypto extends BaseCryptoProvider implements ICryptoProvider {
  initialize = loadWasm;
  readonly #random: Pick<Random, 'bytes'>;

  constructor(random: Pick<Random, 'bytes'>) {
    super();
    this.#random = random;
  }

  randomFill(bytes: Uint8Array): void {
    bytes.set(this.#random.bytes(bytes.length));
  }

  sha1(data: Uint8Array): Uint8Array {
    return createHash('sha1').update(data).digest();
  }

  sha256(data: Uint8Array): Uint8Array {
    return createHash('sha256').update(data).digest();
  }

  hmacSha256(data: Uint8Array, key: Uint8Array): Uint8Array {
    return createHmac('sha256', key).update(data).digest();
  }

  pbkdf2(
    password: Uint8Array,
    salt: Uint8Array,
    iterations: number,
    length = 64,
    algorithm = 'sha512',
  ): Promise<Uint8Array> {
    return deriveKey(password, salt, iterations, length, algorithm);
  }

  createAesCtr(key: Uint8Array, iv: Uint8Array): { process(data: Uint8Array): Uint8Array } {
    const cipher = createCipheriv(`aes-${key.length * 8}-ctr`, key, iv);
    return { process: (data) => cipher.update(data) };
  }

  createAesIge(key: Uint8Array, iv: Uint8Array) {
    return {
      encrypt: (data: Uint8Array) => ige256Encrypt(data, key, iv),
      decrypt: (data: Uint8Array) => ige256Decrypt(data, key, iv),
    };
  }

  /** Nothing when the data would not become small enough. */
  gzip(data: Uint8Array, maxSize: number): Uint8Array | null {
    const packed = deflateSync(data);
    return packed.length > maxSize ? null : packed;
  }

  gunzip(data: Uint8Array): Uint8Array {
    return gunzipSync(data);
  }
}
