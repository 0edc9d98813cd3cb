import { createSocket } from 'node:dgram';
import { once } from 'node:events';

type Answer = { a?: string[]; aaaa?: string[] } | undefined;

/** A name server on loopback. `answer` is called once per query; undefined means that the name does not exist. */
export async function startDns(answer: (name: string) => Answer) {
  const socket = createSocket('udp4');
  socket.on('message', (query, client) => {
    const { name, type, end } = readQuestion(query);
    const found = answer(name);
    const addresses = (type === 1 ? found?.a?.map(v4Bytes) : type === 28 ? found?.aaaa?.map(v6Bytes) : []) ?? [];
    const header = Buffer.from([0, 0, 0x81, found ? 0x80 : 0x83, 0, 1, 0, addresses.length, 0, 0, 0, 0]);
    query.copy(header, 0, 0, 2);
    // Each record points back to the name in the question and has a TTL of zero seconds.
    const records = addresses.map((bytes) => [0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]);
    socket.send(
      Buffer.concat([header, query.subarray(12, end), Buffer.from(records.flat())]),
      client.port,
      client.address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    server: `127.0.0.1:${socket.address().port}`,
    close: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

const v4Bytes = (address: string) => address.split('.').map(Number);

/** Expects the long form with eight groups. */
const v6Bytes = (address: string) => [
  ...Buffer.from(
    address
      .split(':')
      .map((group) => group.padStart(4, '0'))
      .join(''),
    'hex',
  ),
];
