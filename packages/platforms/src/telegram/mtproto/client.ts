import { createCipheriv, createHash, createHmac, pbkdf2 } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import { deflateSync, gunzipSync } from 'node:zlib';
import { PlatformFailed } from '@latchkey/core/ports';
import type { Random } from '@latchkey/kernel';
import {
  IntermediatePacketCodec,
  type ITelegramConnection,
  MemoryStorage,
  MtClient,
  networkMiddlewares,
  type TelegramTransport,
  type tl,
} from '@mtcute/core';
import {
  addPublicKey,
  BaseCryptoProvider,
  defaultProductionDc,
  type ICryptoProvider,
  isTlRpcError,
  LogManager,
  readStringSession,
  writeStringSession,
} from '@mtcute/core/utils.js';
import { ige256Decrypt, ige256Encrypt, initSync, SIMD_AVAILABLE } from '@mtcute/wasm';
import { MtprotoRefused } from './refusals.ts';

export interface MtprotoServer {
  /** The first data center to contact. It returns the addresses of the others. */
  firstDc: { id: number; ipAddress: string; port: number };
  /** The public key that identifies its servers, as PEM. */
  publicKey: string;
}

export interface MtprotoOptions {
  /** Both from my.telegram.org. */
  apiId: number;
  apiHash: string;
  random: Pick<Random, 'bytes'>;
  connect: Connect;
  /** A network other than Telegram's own. */
  server?: MtprotoServer;
  /** The timeout of one call. */
  callTimeoutMs?: number;
  /** Flood waits up to this long are waited out; a longer one fails the call. */
  longestPauseMs?: number;
}

export type MtprotoCall = <Request extends tl.RpcMethod>(
  request: Request,
  signal?: AbortSignal,
) => Promise<tl.RpcCallReturn[Request['_']]>;

/** A connection to Telegram's data centers. Throws `PlatformFailed`, and `MtprotoRefused` for what Telegram refuses. */
export interface MtprotoClient {
  call: MtprotoCall;
  /** Returns the session, with which a later connection continues without a new login. Anyone who has it can act as the bot. */
  exportSession(): Promise<string>;
  close(): Promise<void>;
}

const retries = 2;
const closingMs = 10_000;

/** Connects with the keys of an exported session, or with new ones. */
export async function openMtprotoClient(options: MtprotoOptions, session?: string): Promise<MtprotoClient> {
  const { apiId, apiHash, random, server, callTimeoutMs = 30_000, longestPauseMs = 10_000 } = options;
  const crypto = new MtprotoCrypto(random);
  if (server) addPublicKey(crypto, server.publicKey);
  const kept = session === undefined ? undefined : readSession(session);
  const defaultDcs =
    kept?.primaryDcs ?? (server && { main: server.firstDc, media: server.firstDc }) ?? defaultProductionDc;
  const storage = new MemoryStorage();
  if (kept) storage.authKeys.set(defaultDcs.main.id, kept.authKey);
  const transport = createTcpTransport(options.connect, callTimeoutMs);
  const client = new MtClient({
    ...{ apiId, apiHash, crypto, storage, transport, defaultDcs, platform },
    disableUpdates: true,
    logLevel: LogManager.OFF,
    initConnectionOptions: { deviceModel: 'Latchkey', systemVersion: 'server', appVersion: '1' },
    network: {
      // One connection is enough: nothing is uploaded or downloaded.
      connectionCount: (kind) => (kind === 'main' ? 1 : 0),
      middlewares: networkMiddlewares.basic({
        floodWaiter: { maxWait: longestPauseMs, maxRetries: retries },
        internalErrors: { maxRetries: retries },
      }),
    },
    // The connection is retried until the timeout of the call, so the call is what fails.
    onError: () => undefined,
  });
  return {
    call: async (request, signal) => {
      const timeout = AbortSignal.timeout(callTimeoutMs + longestPauseMs * retries);
      const abortSignal = signal ? AbortSignal.any([signal, timeout]) : timeout;
      const result = await within(abortSignal, async () => {
        await client.connect();
        return client.call(request, { abortSignal });
      }).catch(() => {
        signal?.throwIfAborted();
        // The library's error may contain keys.
        throw new PlatformFailed('unavailable', 'Telegram’s data centers are not responding.', 60);
      });
      if (isTlRpcError(result)) throw new MtprotoRefused(result.errorCode, result.errorMessage);
      return result;
    },
    exportSession: async () => {
      const primaryDcs = (await client.storage.dcs.fetch()) ?? defaultDcs;
      const authKey = storage.authKeys.get(primaryDcs.main.id);
      if (authKey === null) throw new Error('No key has been negotiated yet.');
      return writeStringSession({ version: 3, primaryDcs, authKey });
    },
    close: async () => {
      const closing = client.disconnect();
      transport.close();
      // Do not wait for anything that the library still waits for.
      await within(AbortSignal.timeout(closingMs), () => closing).catch(() => undefined);
      await client.destroy();
    },
  };
}

/** Returns undefined for a session that this version of the library cannot read, as if there were none. */
function readSession(session: string): ReturnType<typeof readStringSession> | undefined {
  try {
    return readStringSession(session);
  } catch {
    return undefined;
  }
}

/** The library logs messages and keys on errors, so its logging is turned off. */
const platform = {
  beforeExit: () => () => undefined,
  log: () => undefined,
  getDefaultLogLevel: () => LogManager.OFF,
  getDeviceModel: () => 'server',
};

/** Some steps of the library, such as a change of the data center, do not support signals. */
async function within<Result>(signal: AbortSignal, run: () => Promise<Result>): Promise<Result> {
  signal.throwIfAborted();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = () => reject(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([run(), ended]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

interface TcpTransport extends TelegramTransport {
  /** Closes connections that are open or opening, and opens no more. */
  close(): void;
}

/** Opens a TCP connection, or refuses to. */
type Connect = (target: { host: string; port: number }) => Socket;

/** Plain TCP to Telegram's data centers; the protocol has its own encryption. */
function createTcpTransport(connect: Connect, timeoutMs: number): TcpTransport {
  const sockets = new Set<Socket>();
  let isClosed = false;
  return {
    connect: async ({ ipAddress: host, port }) => {
      if (isClosed) throw new Error('The connection was closed.');
      const socket = connect({ host, port });
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      await opened(socket, timeoutMs);
      return connectionOver(socket);
    },
    packetCodec: () => new IntermediatePacketCodec(),
    close: () => {
      isClosed = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

function opened(socket: Socket, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(new Error('Telegram is not responding.')), timeoutMs);
    socket.once('connect', () => {
      clearTimeout(timer);
      resolve();
    });
    // Stays for as long as the socket does: an unhandled error would end the process.
    socket.on('error', reject);
    socket.once('close', () => {
      clearTimeout(timer);
      reject(new Error('The connection was closed.'));
    });
  });
}

function connectionOver(socket: Socket): ITelegramConnection {
  const chunks = socket[Symbol.asyncIterator]();
  let rest = new Uint8Array();
  return {
    localAddress: null,
    remoteAddress: null,
    read: async (into) => {
      while (rest.length === 0) {
        const { done, value } = await chunks.next();
        // The library treats an empty read as nothing new and would read again at once, forever.
        if (done) throw new Error('The connection was closed.');
        rest = new Uint8Array(value);
      }
      const part = rest.subarray(0, into.length);
      into.set(part);
      rest = rest.subarray(part.length);
      return part.length;
    },
    write: (bytes) =>
      new Promise((resolve, reject) => {
        socket.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
    close: () => socket.destroy(),
  };
}

const deriveKey = promisify(pbkdf2);
let loading: Promise<void> | undefined;

/** Loads the cipher that Node does not have, once per process. */
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

/** The protocol's cryptography: Node's own, and AES in IGE mode from WebAssembly. */
class MtprotoCrypto extends BaseCryptoProvider implements ICryptoProvider {
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

  /** Returns null if the data would not become small enough. */
  gzip(data: Uint8Array, maxSize: number): Uint8Array | null {
    const packed = deflateSync(data);
    return packed.length > maxSize ? null : packed;
  }

  gunzip(data: Uint8Array): Uint8Array {
    return gunzipSync(data);
  }
}
