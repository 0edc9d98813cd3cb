import { crc32, deflateSync } from 'node:zlib';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** How many pixels a module is wide and high. With one bit per pixel, a module of a line is then exactly one byte. */
export const pixelsPerModule = 8;

/** Draws a square of dark (true) and light modules as a black and white PNG (RFC 2083: 1-bit greyscale). */
export function drawPng(modules: readonly (readonly boolean[])[]): Uint8Array {
  const sizePixels = modules.length * pixelsPerModule;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(sizePixels, 0);
  header.writeUInt32BE(sizePixels, 4);
  // Bit depth; colour type 0, compression, filter and interlacing stay zero.
  header[8] = 1;
  const lines = modules.flatMap((row) => {
    const line = Buffer.from([0, ...row.map((isDark) => (isDark ? 0x00 : 0xff))]);
    return Array<Buffer>(pixelsPerModule).fill(line);
  });
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(lines))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
