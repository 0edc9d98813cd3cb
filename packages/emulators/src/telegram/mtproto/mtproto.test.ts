import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { ige256Decrypt, ige256Encrypt, initSync } from '@mtcute/wasm';
import { startTelegramEmulator, type TelegramEmulator } from '../start.ts';
import { decryptIge, encryptIge, sha256 } from './ciphers.ts';
import { loadSchema } from './schema.ts';
import { type MtprotoEmulator, openMessage } from './start.ts';
import { type TlObject, TlReader, writeInt, writeLong, writeObject } from './tl.ts';

/** A full client is tested where members are listed; this tests what the emulator refuses. */
describe('the MTProto side of the Telegram emulator', () => {
  const schema = loadSchema();
  let emulator: TelegramEmulator;
  let mtproto: MtprotoEmulator;
  before(async () => {
    emulator = await startTelegramEmulator();
    mtproto = await emulator.openMtproto();
  });
  after(() => emulator.stop());

  async function dial(...packets: readonly Buffer[]): Promise<Socket> {
    const [address] = mtproto.addresses;
    assert.ok(address);
    const socket = connect(address.port, address.ipAddress);
    await once(socket, 'connect');
    socket.write(writeInt(0xeeeeeeee));
    for (const packet of packets) socket.write(Buffer.concat([writeInt(packet.length), packet]));
    return socket;
  }
  const plain = (message: TlObject) => {
    const body = writeObject(schema, message);
    return Buffer.concat([writeLong(0n), writeLong(4n), writeInt(body.length), body]);
  };
  const answerOn = async (socket: Socket): Promise<Buffer> => {
    const [bytes] = await once(socket, 'data');
    return bytes;
  };
  const nonce = Buffer.alloc(16, 7);
  const ask: TlObject = { _: 'mt_req_pq_multi', nonce };

  it('encrypts as another implementation of the mode does', async () => {
    const file = createRequire(import.meta.url).resolve('@mtcute/wasm/mtcute.wasm');
    initSync(await readFile(file));
    const [key, iv] = [sha256(Buffer.from('key')), sha256(Buffer.from('iv'))];
    const text = Buffer.concat(Array.from({ length: 9 }, (_, n) => sha256(Buffer.from([n]))));
    const secret = encryptIge(text, key, iv);
    assert.deepEqual(secret, Buffer.from(ige256Encrypt(text, key, iv)));
    assert.deepEqual(decryptIge(secret, key, iv), Buffer.from(ige256Decrypt(secret, key, iv)));
    assert.deepEqual(decryptIge(secret, key, iv), text);
  });

  it('reads back every kind of field it writes', () => {
    const user = { _: 'user', id: 5_000_000_001, access_hash: -7n, first_name: 'Zoë', bot: true, bot_info_version: 1 };
    const usernames = [{ _: 'username', active: true, username: 'a'.repeat(300) }];
    const object: TlObject = { ...user, usernames };
    assert.deepEqual(new TlReader(schema, writeObject(schema, object)).object(), object);
    const option = { _: 'dcOption', id: 4, ip_address: '127.0.0.1', port: 443, secret: Buffer.from([1, 2, 3]) };
    assert.deepEqual(new TlReader(schema, writeObject(schema, option)).object(), option);
    assert.throws(() => writeObject(schema, { _: 'user', id: 'x' }), /id is no int53/);
    assert.throws(() => new TlReader(schema, writeInt(1)).object(), /has no 0x1/);
    assert.throws(() => new TlReader(schema, writeObject(schema, option).subarray(0, -4)).object(), /end too early/);
  });

  it('offers its key to any client, with the nonce that was sent', async () => {
    const socket = await dial(plain(ask));
    const packet = (await answerOn(socket)).subarray(4);
    const offer = new TlReader(schema, packet.subarray(20)).object();
    assert.deepEqual([offer._, offer.nonce], ['mt_resPQ', nonce]);
    socket.destroy();
  });

  it('disconnects on another transport, another nonce and malformed messages', async () => {
    const other = { nonce, server_nonce: Buffer.alloc(16), encrypted_data: Buffer.alloc(16) };
    for (const packets of [
      [plain(ask), plain({ _: 'mt_set_client_DH_params', ...other })],
      [plain({ _: 'help.getConfig' })],
      [Buffer.alloc(40)],
      [Buffer.alloc(3, 1)],
    ]) {
      const socket = await dial(...packets);
      socket.resume();
      await once(socket, 'close');
    }
    const [address] = mtproto.addresses;
    const web = connect(address?.port ?? 0, address?.ipAddress);
    web.write('GET / HTTP/1.1\r\n\r\n');
    await once(web, 'close');
  });

  it('returns 404 for an unknown key, and decrypts no altered message', async () => {
    const socket = await dial(Buffer.alloc(88, 9));
    assert.deepEqual(await answerOn(socket), Buffer.concat([writeInt(4), writeInt(-404)]));
    socket.destroy();
    assert.throws(() => openMessage(Buffer.alloc(256, 1), Buffer.alloc(88, 9)), /altered in transit/);
  });
});
