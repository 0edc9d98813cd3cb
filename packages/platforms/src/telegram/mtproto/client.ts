import { PlatformFailed } from '@latchkey/core/ports';
import type { Random } from '@latchkey/kernel';
import { MemoryStorage, MtClient, networkMiddlewares, type tl } from '@mtcute/core';
import {
  addPublicKey,
  defaultProductionDc,
  isTlRpcError,
  LogManager,
  readStringSession,
  writeStringSession,
} from '@mtcute/core/utils.js';
import { MtprotoCrypto } from './crypto.ts';
import { MtprotoRefused } from './refusals.ts';
import { type Connect, createTcpTransport } from './tcp-transport.ts';

export interface MtprotoServer {
  /** The data center that is asked first; it tells where the others are. */
  firstDc: { id: number; ipAddress: string; port: number };
  /** The key by which its servers are known, as PEM. */
  publicKey: string;
}

export interface MtprotoOptions {
  /** Both from my.telegram.org. */
  apiId: number;
  apiHash: string;
  random: Pick<Random, 'bytes'>;
  connect: Connect;
  /** Another network than Telegram's own. */
  server?: MtprotoServer;
  /** For how long one call may wait for its answer. */
  callTimeoutMs?: number;
  /** Pauses up to this long are waited for; a longer one ends the call. */
  longestPauseMs?: number;
}

export type MtprotoCall = <Request extends tl.RpcMethod>(
  request: Request,
  signal?: AbortSignal,
) => Promise<tl.RpcCallReturn[Request['_']]>;

/** A connection to Telegram's data centers. Throws `PlatformFailed`, and `MtprotoRefused` for what Telegram does not do. */
export interface MtprotoClient {
  call: MtprotoCall;
  /** What lets a later connection go on without a new login. Whoever has it can act as the bot. */
  exportSession(): Promise<string>;
  close(): Promise<void>;
}

const retries = 2;
const closingMs = 10_000;

/** Connects, with the keys of a session that was exported before or with new ones. */
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
    // The connection is tried again until the call's time is up, so the call is what fails.
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
        // What the library says of itself may hold keys.
        throw new PlatformFailed('unavailable', 'Telegram’s data centers do not answer.', 60);
      });
      if (isTlRpcError(result)) throw new MtprotoRefused(result.errorCode, result.errorMessage);
      return result;
    },
    exportSession: async () => {
      const primaryDcs = (await client.storage.dcs.fetch()) ?? defaultDcs;
      const authKey = storage.authKeys.get(primaryDcs.main.id);
      if (authKey === null) throw new Error('No key was agreed on yet.');
      return writeStringSession({ version: 3, primaryDcs, authKey });
    },
    close: async () => {
      const closing = client.disconnect();
      transport.close();
      // Whatever the library still waits for, nothing can come any more.
      await within(AbortSignal.timeout(closingMs), () => closing).catch(() => undefined);
      await client.destroy();
    },
  };
}

/** A session that this version of the library cannot read is as good as none. */
function readSession(session: string): ReturnType<typeof readStringSession> | undefined {
  try {
    return readStringSession(session);
  } catch {
    return undefined;
  }
}

/** The library logs messages and keys when something goes wrong, so it logs nothing. */
const platform = {
  beforeExit: () => () => undefined,
  log: () => undefined,
  getDefaultLogLevel: () => LogManager.OFF,
  getDeviceModel: () => 'server',
};

/** Some steps of the library, such as a change of the data center, know no signal. */
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
