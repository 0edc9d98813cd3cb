import { constants, type KeyObject, privateDecrypt } from 'node:crypto';
import { decryptIge, encryptIge, fingerprintOf, powerOf, sha1, sha256, toBytes, toNumber, xor } from './ciphers.ts';
import type { Schema } from './schema.ts';
import { type TlObject, TlReader, writeObject } from './tl.ts';

// The example from Telegram's documentation: a client has to find the factors.
const [smaller, larger] = [0x494c553b, 0x53911073];
const pq = toBytes(BigInt(smaller) * BigInt(larger), 8);
const generator = 3;
/** The prime that Telegram's servers use. Clients know it, and would take seconds to test another one. */
const prime = BigInt(
  '0xC71CAEB9C6B1C9048E6C522F70F13F73980D40238E3E21C14934D037563D930F48198A0AA7C14058229493D22530F4DBFA336F6E0AC925139543AED44CCE7C3720FD51F69458705AC68CD4FE6B6B13ABDC9746512969328454F18FAF8C595F642477FE96BB2A941D5BCD1D4AC8CC49880708FA9B378E3C4F3A9060BEE67CF9A4A4A695811051907E162753B56B0F6B410DBA74D8A84B2A14B3144E0EF1284754FD17ED950D5965B4B9DD46582DB1178D169C6BC465B0D6FF9CA3928FEF5B9AE4E418FC15E83EBEA0F87FA9FF5EED70050DED2849F47BF959D956850CE929851F0D8115F635B105EE2E4E15D04B2454BF6F4FADF034B10403119CD8E3B92FCC5B',
);
const keyBytes = 256;

export interface AgreedKey {
  key: Buffer;
  salt: bigint;
}

/** The server side of the key exchange, https://core.telegram.org/mtproto/auth_key. Any deviation ends the connection, as at Telegram. */
export class Handshake {
  readonly #schema: Schema;
  readonly #privateKey: KeyObject;
  readonly #fingerprint: bigint;
  readonly #dcId: number;
  readonly #draw: (length: number) => Buffer;
  readonly #serverNonce: Buffer;
  readonly #secret: bigint;
  #nonce: Buffer = Buffer.alloc(0);
  #newNonce: Buffer = Buffer.alloc(0);

  constructor(options: {
    schema: Schema;
    privateKey: KeyObject;
    publicKey: KeyObject;
    dcId: number;
    draw(length: number): Buffer;
  }) {
    this.#schema = options.schema;
    this.#privateKey = options.privateKey;
    this.#fingerprint = fingerprintOf(options.publicKey);
    this.#dcId = options.dcId;
    this.#draw = options.draw;
    this.#serverNonce = options.draw(16);
    this.#secret = toNumber(options.draw(keyBytes));
  }

  /** Handles a message, and returns the key once both sides have it. */
  answer(message: TlObject, nowSeconds: number): { reply: TlObject; agreed?: AgreedKey } {
    if (message._ !== 'mt_req_pq_multi') this.#expectNonces(message);
    if (message._ === 'mt_req_pq_multi') return { reply: this.#offer(bufferOf(message, 'nonce')) };
    if (message._ === 'mt_req_DH_params') return { reply: this.#open(message, nowSeconds) };
    if (message._ === 'mt_set_client_DH_params') return this.#agree(message);
    throw new Error(`${message._} is not for an unencrypted message.`);
  }

  #offer(nonce: Buffer): TlObject {
    this.#nonce = nonce;
    return { _: 'mt_resPQ', ...this.#nonces(), pq, server_public_key_fingerprints: [this.#fingerprint] };
  }

  #open(message: TlObject, nowSeconds: number): TlObject {
    if (message.public_key_fingerprint !== this.#fingerprint) throw new Error('The key is not the server’s.');
    const inner = new TlReader(this.#schema, this.#unpad(bufferOf(message, 'encrypted_data'))).object();
    if (inner._ !== 'mt_p_q_inner_data_dc') throw new Error(`${inner._} is not for a permanent key.`);
    this.#expectNonces(inner);
    const [p, q] = [bufferOf(inner, 'p'), bufferOf(inner, 'q')].map((factor) => Number(toNumber(factor)));
    if (p !== smaller || q !== larger) throw new Error('These are not the factors.');
    if (inner.dc !== this.#dcId) throw new Error(`The message is for data center ${inner.dc}.`);
    this.#newNonce = bufferOf(inner, 'new_nonce');
    const gA = toBytes(powerOf(BigInt(generator), this.#secret, prime), keyBytes);
    const dh_prime = toBytes(prime, keyBytes);
    const answer = { _: 'mt_server_DH_inner_data', g: generator, dh_prime, g_a: gA, server_time: nowSeconds };
    const bytes = writeObject(this.#schema, { ...answer, ...this.#nonces() });
    const hashed = Buffer.concat([sha1(bytes), bytes]);
    const padded = Buffer.concat([hashed, this.#draw((16 - (hashed.length % 16)) % 16)]);
    return {
      _: 'mt_server_DH_params_ok',
      ...this.#nonces(),
      encrypted_answer: encryptIge(padded, ...this.#temporaryKey()),
    };
  }

  #agree(message: TlObject): { reply: TlObject; agreed: AgreedKey } {
    const plain = decryptIge(bufferOf(message, 'encrypted_data'), ...this.#temporaryKey());
    const reader = new TlReader(this.#schema, plain.subarray(20));
    const inner = reader.object();
    this.#expectNonces(inner);
    if (!sha1(plain.subarray(20, 20 + reader.position)).equals(plain.subarray(0, 20)))
      throw new Error('The hash of the message is wrong.');
    const key = toBytes(powerOf(toNumber(bufferOf(inner, 'g_b')), this.#secret, prime), keyBytes);
    const hash = sha1(this.#newNonce, Buffer.from([1]), sha1(key).subarray(0, 8)).subarray(4);
    const salt = xor(this.#newNonce.subarray(0, 8), this.#serverNonce.subarray(0, 8)).readBigInt64LE();
    return { reply: { _: 'mt_dh_gen_ok', ...this.#nonces(), new_nonce_hash1: hash }, agreed: { key, salt } };
  }

  /** Reverses RSA_PAD. */
  #unpad(encrypted: Buffer): Buffer {
    const opened = privateDecrypt({ key: this.#privateKey, padding: constants.RSA_NO_PADDING }, encrypted);
    const body = opened.subarray(32);
    const key = xor(opened.subarray(0, 32), sha256(body));
    const plain = decryptIge(body, key, Buffer.alloc(32));
    const data = Buffer.from(plain.subarray(0, 192)).reverse();
    if (!sha256(key, data).equals(plain.subarray(192))) throw new Error('The hash of the padded message is wrong.');
    return data;
  }

  #temporaryKey(): [key: Buffer, iv: Buffer] {
    const [fresh, server] = [this.#newNonce, this.#serverNonce];
    const [first, second, third] = [sha1(fresh, server), sha1(server, fresh), sha1(fresh, fresh)];
    return [
      Buffer.concat([first, second.subarray(0, 12)]),
      Buffer.concat([second.subarray(12), third, fresh.subarray(0, 4)]),
    ];
  }

  #nonces(): { nonce: Buffer; server_nonce: Buffer } {
    return { nonce: this.#nonce, server_nonce: this.#serverNonce };
  }

  #expectNonces(message: TlObject): void {
    const isOurs = bufferOf(message, 'server_nonce').equals(this.#serverNonce);
    if (!isOurs || !bufferOf(message, 'nonce').equals(this.#nonce)) throw new Error('The nonces are wrong.');
  }
}

function bufferOf(message: TlObject, name: string): Buffer {
  const value = message[name];
  if (!Buffer.isBuffer(value)) throw new Error(`${message._} has no ${name}.`);
  return value;
}
