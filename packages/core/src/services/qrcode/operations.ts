import { crc32, deflateSync } from 'node:zlib';
import { AppError, anyone, op, Png, resource, T } from '@latchkey/kernel';
import { encode } from 'uqr';

const maxDataBytes = 1200;

const quietZoneModules = 4;
// Every mask is readable; weighing all eight only helps poor cameras, and for long data takes ten times as long as
// the rest, which anybody could ask of us.
const maxWeighedBytes = 200;
const fixedMask = 3;

/** A PNG of the QR code that says `data`. */
export function drawQrCode(data: string): Uint8Array {
  const maskPattern = Buffer.byteLength(data) > maxWeighedBytes ? fixedMask : -1;
  return drawPng(encode(data, { ecc: 'M', border: quietZoneModules, maskPattern }).data);
}

export function generateQrCode(_ctx: unknown, { data }: { data: string }): Uint8Array {
  const bytes = Buffer.byteLength(data);
  if (bytes === 0 || bytes > maxDataBytes) {
    throw new AppError(
      'INVALID_PARAMETER_VALUE',
      `A QR code holds 1 to ${maxDataBytes} bytes; shorten the data, which has ${bytes}.`,
    );
  }
  return drawQrCode(data);
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** How many pixels a module is wide and high. With one bit per pixel, a module of a line is then exactly one byte. */
const pixelsPerModule = 8;

/** Draws a square of dark (true) and light modules as a black and white PNG (RFC 2083: 1-bit greyscale). */
function drawPng(modules: readonly (readonly boolean[])[]): Uint8Array {
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

export const qrcode = resource('qrcode', 'Pictures of text that a phone can read.', [
  op(
    'GET /qrcode/{data}',
    {
      id: 'generateQrCode',
      sdk: 'QRCodeController.generateQrCode',
      summary: 'Generate a QR code',
      description: `Returns a PNG of a QR code that holds the data as it is, up to ${maxDataBytes} bytes of UTF-8. Nothing is stored.`,
      access: anyone,
      params: {
        data: T.String({ description: 'The text to draw, percent-encoded.', minLength: 1, maxLength: maxDataBytes }),
      },
      returns: Png,
    },
    generateQrCode,
  ),
]);
