import { crc32, deflateSync } from 'node:zlib';

const side = 128;
const ink = [0x14, 0x53, 0x3a] as const;
const paper = [0xe8, 0xf3, 0xec] as const;

/** The picture of the sample community, a key hole on green, as a PNG. */
export function drawIcon(): Uint8Array {
  const rows = Array.from({ length: side }, (_, y) =>
    Buffer.from([0, ...Array.from({ length: side }, (_, x) => (isKeyHole(x, y) ? paper : ink)).flat()]),
  );
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  // Eight bits of red, green and blue each; compression, filter and interlacing stay zero.
  header.set([8, 2], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function isKeyHole(x: number, y: number): boolean {
  const isHead = Math.hypot(x - 63.5, y - 50) < 20;
  const isShaft = y >= 50 && y < 100 && Math.abs(x - 63.5) < 7 + (y - 50) / 6;
  return isHead || isShaft;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
