import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { gzipSync, unzipSync } from 'node:zlib';
import { systemMs } from '../../clock.ts';
import type { Bot } from '../types.ts';
import type { World } from '../world.ts';
import { decryptIge, encryptIge, fingerprintOf, sha1, sha256 } from './ciphers.ts';
import { Handshake } from './handshake.ts';
import { type Address, callMethod, type DataCenter, type KnownKey } from './methods.ts';
import { RpcRefused } from './refused.ts';
import { loadSchema } from './schema.ts';
import { type TlObject, TlReader, writeBytes, writeInt, writeLong, writeObject } from './tl.ts';

export interface MtprotoOptions {
  /** The data centers. The first is the default home of bots. */
  dcIds?: readonly number[];
  apiId?: number;
  apiHash?: string;
  host?: string;
}

/** Telegram's own protocol besides the Bot API: the same chats, over TCP. */
export interface MtprotoEmulator {
  addresses: readonly Address[];
  /** The public key that identifies the servers, as PEM. */
  publicKey: string;
  apiId: number;
  apiHash: string;
  /** Moves the bot to another data center. */
  move(bot: Bot, dcId: number): void;
  /** Ends all logins of the bot; the keys stay. */
  logOut(bot: Bot): void;
  /** Deletes every key, as Telegram does with old ones. */
  forgetKeys(): void;
  /** Returns how often each method was called. */
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

/** Some clients print fingerprints without leading zeros and then cannot find them, so such a key is skipped. */
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

const containerId = 0x73f1f8dc;
const gzipId = 0x3072cfa1;
const resultId = 0xf35c6d01;
const badSalt = 48;
const unknownKey = 404;
/** Responses of at least this size are compressed, as Telegram does with large ones. */
const packedFrom = 2_048;

type Inner = Pick<SealedMessage, 'sessionId' | 'id' | 'body'>;

/** One client at one data center: the key exchange, and then encrypted calls. */
class Connection {
  readonly #dc: DataCenter;
  readonly #socket: Socket;
  readonly #handshake: Handshake;
  readonly #sessions = new Set<bigint>();
  #lastId = 0n;

  constructor(dc: DataCenter, socket: Socket) {
    this.#dc = dc;
    this.#socket = socket;
    this.#handshake = new Handshake(dc);
    socket.on('error', () => socket.destroy());
    readFrames(socket, (packet) => {
      try {
        this.#take(packet);
      } catch {
        // Telegram does not respond to protocol violations.
        socket.destroy();
      }
    });
  }

  #take(packet: Buffer): void {
    const isPlain = packet.readBigInt64LE() === 0n;
    const known = this.#dc.keys.get(packet.subarray(0, 8).toString('hex'));
    if (isPlain) this.#answerPlain(packet.subarray(20));
    else if (known === undefined) sendTransportError(this.#socket, unknownKey);
    else this.#takeSealed(known, openMessage(known.key, packet));
  }

  #answerPlain(body: Buffer): void {
    const message = new TlReader(this.#dc.schema, body).object();
    const { reply, agreed } = this.#handshake.answer(message, this.#nowSeconds());
    if (agreed) this.#dc.keys.set(keyIdOf(agreed.key).toString('hex'), { ...agreed, bot: undefined, isNamed: false });
    const bytes = writeObject(this.#dc.schema, reply);
    sendFrame(this.#socket, Buffer.concat([writeLong(0n), writeLong(this.#nextId()), writeInt(bytes.length), bytes]));
  }

  #takeSealed(known: KnownKey, { salt, sessionId, id, sequence, body }: SealedMessage): void {
    const { salt: new_server_salt } = known;
    if (salt !== new_server_salt) {
      const bad = { bad_msg_id: id, bad_msg_seqno: sequence, error_code: badSalt, new_server_salt };
      this.#sendObject(known, sessionId, { _: 'mt_bad_server_salt', ...bad });
      return;
    }
    if (!this.#sessions.has(sessionId)) {
      this.#sessions.add(sessionId);
      const unique_id = this.#dc.draw(8).readBigInt64LE();
      const created = { first_msg_id: id, unique_id, server_salt: new_server_salt };
      this.#sendObject(known, sessionId, { _: 'mt_new_session_created', ...created });
    }
    for (const message of this.#unpack({ sessionId, id, body })) this.#answer(known, message);
  }

  /** Several messages may come in one container, and compressed. */
  #unpack(message: Inner): Inner[] {
    const reader = new TlReader(this.#dc.schema, message.body);
    const first = reader.peekId();
    if (first !== containerId && first !== gzipId) return [message];
    reader.int();
    if (first === gzipId) return this.#unpack({ ...message, body: unzipSync(reader.bytes()) });
    return Array.from({ length: reader.int() }, () => {
      const id = reader.long();
      reader.int();
      return this.#unpack({ ...message, id, body: reader.raw(reader.int()) });
    }).flat();
  }

  #answer(known: KnownKey, { sessionId, id, body }: Inner): void {
    const object = new TlReader(this.#dc.schema, body).object();
    if (!object._.startsWith('mt_')) {
      void this.#answerCall(known, sessionId, id, object);
      return;
    }
    const reply = answerService(object, { id, salt: known.salt, nowSeconds: this.#nowSeconds() });
    if (reply) this.#sendObject(known, sessionId, reply);
  }

  async #answerCall(known: KnownKey, sessionId: bigint, id: bigint, call: TlObject): Promise<void> {
    const answered = await callMethod(this.#dc, known, call).catch((error: unknown): TlObject => {
      const { code, message } = error instanceof RpcRefused ? error : new RpcRefused(500, String(error));
      return { _: 'mt_rpc_error', error_code: code, error_message: message };
    });
    if (answered === 'cut') this.#socket.destroy();
    if (answered === 'cut' || answered === 'hang') return;
    const body = writeObject(this.#dc.schema, answered);
    const packed = body.length < packedFrom ? body : Buffer.concat([writeInt(gzipId), writeBytes(gzipSync(body))]);
    this.#send(known, sessionId, Buffer.concat([writeInt(resultId), writeLong(id), packed]));
  }

  #sendObject(known: KnownKey, sessionId: bigint, object: TlObject): void {
    this.#send(known, sessionId, writeObject(this.#dc.schema, object));
  }

  #send({ key, salt }: KnownKey, sessionId: bigint, body: Buffer): void {
    if (this.#socket.destroyed) return;
    const message = { salt, sessionId, id: this.#nextId(), sequence: 1, body };
    sendFrame(this.#socket, sealMessage(key, message, this.#dc.draw));
  }

  #nowSeconds(): number {
    return Math.floor(this.#dc.clock() / 1000);
  }

  /** Ids of the server's messages are derived from its time, unique, and odd. */
  #nextId(): bigint {
    const now = (BigInt(Math.floor(this.#dc.clock())) * 2n ** 32n) / 1000n;
    const wanted = now - (now % 4n) + 1n;
    this.#lastId = wanted > this.#lastId ? wanted : this.#lastId + 4n;
    return this.#lastId;
  }
}

/** Every message was received; there is no other state. */
const received = 4;

/** Handles messages about the connection itself. Acknowledgements and the like need no response. */
function answerService(
  message: TlObject,
  { id, salt, nowSeconds }: { id: bigint; salt: bigint; nowSeconds: number },
): TlObject | undefined {
  switch (message._) {
    case 'mt_ping':
    case 'mt_ping_delay_disconnect':
      return { _: 'mt_pong', msg_id: id, ping_id: message.ping_id };
    case 'mt_get_future_salts': {
      const one = { _: 'mt_future_salt', valid_since: nowSeconds - 60, valid_until: nowSeconds + 86_400, salt };
      return { _: 'mt_future_salts', req_msg_id: id, now: nowSeconds, salts: [one] };
    }
    case 'mt_msgs_state_req': {
      const requested = Array.isArray(message.msg_ids) ? message.msg_ids.length : 0;
      return { _: 'mt_msgs_state_info', req_msg_id: id, info: Buffer.alloc(requested, received) };
    }
    case 'mt_destroy_session':
      return { _: 'mt_destroy_session_none', session_id: message.session_id };
    default:
      return undefined;
  }
}

const tag = 0xeeeeeeee;
const longestFrame = 2 ** 24;

/** Splits the data of a socket into packets: the "intermediate" transport, with a tag and then length-prefixed packets. */
function readFrames(socket: Socket, onPacket: (packet: Buffer) => void): void {
  let waiting = Buffer.alloc(0);
  let isTagged = false;
  socket.on('data', (bytes: Buffer) => {
    waiting = Buffer.concat([waiting, bytes]);
    if (!isTagged && waiting.length >= 4) {
      if (waiting.readUInt32LE() !== tag) return void socket.destroy();
      isTagged = true;
      waiting = waiting.subarray(4);
    }
    while (isTagged && waiting.length >= 4) {
      const length = waiting.readUInt32LE();
      if (length > longestFrame) return void socket.destroy();
      if (waiting.length < 4 + length) return;
      const packet = waiting.subarray(4, 4 + length);
      waiting = waiting.subarray(4 + length);
      onPacket(packet);
    }
  });
}

function sendFrame(socket: Socket, packet: Buffer): void {
  socket.write(Buffer.concat([writeInt(packet.length), packet]));
}

/** A packet of four bytes is a transport error; 404 means that the server does not know the key. */
function sendTransportError(socket: Socket, code: number): void {
  sendFrame(socket, writeInt(-code));
}

/** One message as both sides encrypt it, https://core.telegram.org/mtproto/description. */
interface SealedMessage {
  salt: bigint;
  sessionId: bigint;
  id: bigint;
  sequence: number;
  body: Buffer;
}

const keyIdOf = (key: Buffer) => sha1(key).subarray(12);

/** Which bytes of the key are used depends on the sender. */
const fromClient = 0;
const fromServer = 8;

export function openMessage(key: Buffer, packet: Buffer): SealedMessage {
  const messageKey = packet.subarray(8, 24);
  const plain = decryptIge(packet.subarray(24), ...cipherOf(key, messageKey, fromClient));
  if (!messageKeyOf(key, plain, fromClient).equals(messageKey)) throw new Error('The message was altered in transit.');
  const length = plain.readInt32LE(28);
  const padding = plain.length - 32 - length;
  if (length < 0 || padding < 12 || padding > 1024) throw new Error('The length of the message is wrong.');
  return {
    salt: plain.readBigInt64LE(0),
    sessionId: plain.readBigInt64LE(8),
    id: plain.readBigInt64LE(16),
    sequence: plain.readInt32LE(24),
    body: plain.subarray(32, 32 + length),
  };
}

function sealMessage(
  key: Buffer,
  { salt, sessionId, id, sequence, body }: SealedMessage,
  draw: (length: number) => Buffer,
): Buffer {
  const head = [writeLong(salt), writeLong(sessionId), writeLong(id), writeInt(sequence), writeInt(body.length)];
  const unpadded = Buffer.concat([...head, body]);
  const padding = 12 + ((16 - ((unpadded.length + 12) % 16)) % 16);
  const plain = Buffer.concat([unpadded, draw(padding)]);
  const messageKey = messageKeyOf(key, plain, fromServer);
  const secret = encryptIge(plain, ...cipherOf(key, messageKey, fromServer));
  return Buffer.concat([keyIdOf(key), messageKey, secret]);
}

function messageKeyOf(key: Buffer, plain: Buffer, sender: number): Buffer {
  return sha256(key.subarray(88 + sender, 120 + sender), plain).subarray(8, 24);
}

function cipherOf(key: Buffer, messageKey: Buffer, sender: number): [key: Buffer, iv: Buffer] {
  const first = sha256(messageKey, key.subarray(sender, 36 + sender));
  const second = sha256(key.subarray(40 + sender, 76 + sender), messageKey);
  return [
    Buffer.concat([first.subarray(0, 8), second.subarray(8, 24), first.subarray(24)]),
    Buffer.concat([second.subarray(0, 8), first.subarray(8, 24), second.subarray(24)]),
  ];
}
