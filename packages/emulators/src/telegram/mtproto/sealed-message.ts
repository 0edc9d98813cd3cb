import { decryptIge, encryptIge, sha1, sha256 } from './ciphers.ts';
import { writeInt, writeLong } from './tl.ts';

/** One message as both sides encrypt it, https://core.telegram.org/mtproto/description. */
export interface SealedMessage {
  salt: bigint;
  sessionId: bigint;
  id: bigint;
  sequence: number;
  body: Buffer;
}

export const keyIdOf = (key: Buffer) => sha1(key).subarray(12);

/** The bytes of the key that are used differ by who sends. */
const fromClient = 0;
const fromServer = 8;

export function openMessage(key: Buffer, packet: Buffer): SealedMessage {
  const messageKey = packet.subarray(8, 24);
  const plain = decryptIge(packet.subarray(24), ...cipherOf(key, messageKey, fromClient));
  if (!messageKeyOf(key, plain, fromClient).equals(messageKey)) throw new Error('The message was changed on its way.');
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

export function sealMessage(
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
