import type { Socket } from 'node:net';
import { gzipSync, unzipSync } from 'node:zlib';
import { readFrames, sendFrame, sendTransportError } from './frames.ts';
import { Handshake } from './handshake.ts';
import { callMethod } from './methods.ts';
import { RpcRefused } from './refused.ts';
import { keyIdOf, openMessage, type SealedMessage, sealMessage } from './sealed-message.ts';
import { answerService } from './service-messages.ts';
import type { DataCenter, KnownKey } from './start.ts';
import { type TlObject, TlReader, writeBytes, writeInt, writeLong, writeObject } from './tl.ts';

const containerId = 0x73f1f8dc;
const gzipId = 0x3072cfa1;
const resultId = 0xf35c6d01;
const badSalt = 48;
const unknownKey = 404;
/** From this size on answers are packed, as Telegram does with large ones. */
const packedFrom = 2_048;

type Inner = Pick<SealedMessage, 'sessionId' | 'id' | 'body'>;

/** One client at one data center: the exchange of keys, and then encrypted calls. */
export class Connection {
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
        // Telegram says nothing to who does not keep to the protocol.
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

  /** Several messages may come in one, and packed. */
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

  /** Ids of the server's messages are its time, never twice the same, and odd. */
  #nextId(): bigint {
    const now = (BigInt(Math.floor(this.#dc.clock())) * 2n ** 32n) / 1000n;
    const wanted = now - (now % 4n) + 1n;
    this.#lastId = wanted > this.#lastId ? wanted : this.#lastId + 4n;
    return this.#lastId;
  }
}
