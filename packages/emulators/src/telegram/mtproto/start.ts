import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { type Clock, systemMs } from '../../clock.ts';
import type { Misbehaviours } from '../../misbehave.ts';
import type { Bot } from '../types.ts';
import type { World } from '../world.ts';
import { fingerprintOf } from './ciphers.ts';
import { Connection } from './connection.ts';
import type { AgreedKey } from './handshake.ts';
import { loadSchema, type Schema } from './schema.ts';

/** A key that a client agreed on, and who logged in with it. */
export interface KnownKey extends AgreedKey {
  bot: Bot | undefined;
  /** The client has said which application it is. */
  isNamed: boolean;
}

export interface Address {
  id: number;
  ipAddress: string;
  port: number;
}

/** One of Telegram's data centers. Each knows only the keys that were agreed with it. */
export interface DataCenter {
  dcId: number;
  schema: Schema;
  privateKey: KeyObject;
  publicKey: KeyObject;
  world: World;
  /** The system's: clients set their own time by the servers' and then reckon with it. */
  clock: Clock;
  misbehaviours: Misbehaviours;
  apiId: number;
  apiHash: string;
  keys: Map<string, KnownKey>;
  /** Bytes by chance, which follow from the seed of the world. */
  draw(length: number): Buffer;
  homeOf(bot: Bot): number;
  addresses(): readonly Address[];
  count(method: string): void;
}

export interface MtprotoOptions {
  /** The data centers; the first is where bots live if nothing else is said. */
  dcIds?: readonly number[];
  apiId?: number;
  apiHash?: string;
  host?: string;
}

/** Telegram's own protocol beside the Bot API: the same chats, over TCP. */
export interface MtprotoEmulator {
  addresses: readonly Address[];
  /** The key by which clients know the servers, as PEM. */
  publicKey: string;
  apiId: number;
  apiHash: string;
  /** Where the bot lives from now on. */
  move(bot: Bot, dcId: number): void;
  /** Ends all logins of the bot; the keys stay. */
  logOut(bot: Bot): void;
  /** Forgets every key, as Telegram does with old ones. */
  forgetKeys(): void;
  /** How often each method was called. */
  counts(): Readonly<Record<string, number>>;
  stop(): Promise<void>;
}

export async function startMtproto(
  { world, misbehaviours }: Pick<DataCenter, 'world' | 'misbehaviours'>,
  options: MtprotoOptions = {},
): Promise<MtprotoEmulator> {
  const { dcIds = [2], apiId = 4242, apiHash = '0123456789abcdef0123456789abcdef', host = '127.0.0.1' } = options;
  const pair = newKeyPair();
  const schema = loadSchema();
  const homes = new Map<Bot, number>();
  const counts: Record<string, number> = {};
  const addresses: Address[] = [];
  const centers = dcIds.map((dcId): DataCenter => {
    return {
      ...{ dcId, schema, world, clock: systemMs, misbehaviours, apiId, apiHash, ...pair },
      keys: new Map(),
      draw: drawFrom(world),
      homeOf: (bot) => homes.get(bot) ?? dcIds[0] ?? dcId,
      addresses: () => addresses,
      count: (method) => {
        counts[method] = (counts[method] ?? 0) + 1;
      },
    };
  });
  const sockets = new Set<Socket>();
  const servers: Server[] = [];
  for (const center of centers) {
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      new Connection(center, socket);
    });
    const { port } = await listen(server, host);
    servers.push(server);
    addresses.push({ id: center.dcId, ipAddress: host, port });
  }
  const knownKeys = () => centers.flatMap(({ keys }) => [...keys.values()]);
  return {
    addresses,
    publicKey: pair.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    apiId,
    apiHash,
    move: (bot, dcId) => void homes.set(bot, dcId),
    logOut: (bot) => {
      for (const known of knownKeys()) if (known.bot === bot) known.bot = undefined;
    },
    forgetKeys: () => {
      for (const { keys } of centers) keys.clear();
    },
    counts: () => ({ ...counts }),
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

/** Some clients print fingerprints without leading zeros and then do not find them; such a key is not taken. */
function newKeyPair(): { privateKey: KeyObject; publicKey: KeyObject } {
  for (;;) {
    const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
    if (BigInt.asUintN(64, fingerprintOf(pair.publicKey)) >= 2n ** 60n) return pair;
  }
}

function drawFrom(world: World): (length: number) => Buffer {
  let drawn = 0;
  return (length) => {
    const parts = Array.from({ length: Math.ceil(length / 32) }, () => world.derive(`mtproto ${drawn++}`));
    return Buffer.concat(parts).subarray(0, length);
  };
}

async function listen(server: Server, host: string): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The emulator has no port.');
  return address;
}
