import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import pg from 'pg';
import { clientsOf } from './clients.ts';

/** A message of PostgreSQL's protocol 3. */
function message(letter: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(letter);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const text = (value: string) => Buffer.from(`${value}\0`);
const int16 = (value: number) => Buffer.from([value >> 8, value & 255]);
const int32 = (value: number) => Buffer.from([value >> 24, value >> 16, value >> 8, value]);
const welcome = Buffer.concat([message('R', int32(0)), message('Z', text('I').subarray(0, 1))]);
const farewell = message(
  'E',
  Buffer.concat([text('SFATAL'), text('VFATAL'), text('C57P01'), text('Mterminating connection'), Buffer.alloc(1)]),
);
const column = Buffer.concat([text('answer'), int32(0), int16(0), int32(25), int16(-1), int32(-1), int16(0)]);
const takesWrites = Buffer.concat([
  message('T', Buffer.concat([int16(1), column])),
  message('D', Buffer.concat([int16(1), int32(3), Buffer.from('off')])),
  message('C', text('SELECT 1')),
  message('Z', Buffer.from('I')),
]);

test('a database that stops right after accepting a connection costs that connection, not the process', async () => {
  const opened: Socket[] = [];
  const server = createServer((socket) => {
    opened.push(socket);
    socket.on('error', () => undefined);
    const isFirst = opened.length <= 2;
    socket.once('data', () => {
      // The first connections look for the host that accepts writes. The others get both messages in one packet.
      if (!isFirst) return void socket.end(Buffer.concat([welcome, farewell]));
      socket.write(welcome);
      socket.once('data', () => socket.write(takesWrites));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // A server that listens on a port has such an address.
  const url = `postgresql://me:secret@127.0.0.1:${port},127.0.0.1:${port}/somewhere`;
  const pool = new pg.Pool({ connectionString: url, Client: clientsOf(url), connectionTimeoutMillis: 60_000 });
  pool.on('error', () => undefined);
  try {
    await assert.rejects(pool.query('select 1'), /terminat|not queryable/);
  } finally {
    await pool.end();
    for (const socket of opened) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
});
