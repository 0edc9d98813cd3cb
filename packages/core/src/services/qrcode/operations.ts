import { AppError, anyone, op, Png, resource, T } from '@latchkey/kernel';
import { PNG } from 'pngjs';
import { encode } from 'uqr';

const maxDataBytes = 1200;

const quietZoneModules = 4;
// Every mask is readable; comparing all eight only helps poor cameras, and for long data takes ten times as long as the
// rest, which any caller could request.
const maxWeighedBytes = 200;
const fixedMask = 3;

/** A PNG of the QR code of `data`. */
export function drawQrCode(data: string): Uint8Array {
  const maskPattern = Buffer.byteLength(data) > maxWeighedBytes ? fixedMask : -1;
  return drawPng(encode(data, { ecc: 'M', border: quietZoneModules, maskPattern }).data);
}

export function generateQrCode(_ctx: unknown, { data }: { data: string }): Uint8Array {
  const bytes = Buffer.byteLength(data);
  if (bytes === 0 || bytes > maxDataBytes) {
    throw new AppError(
      'INVALID_PARAMETER_VALUE',
      `A QR code can hold 1 to ${maxDataBytes} bytes; the data has ${bytes}.`,
    );
  }
  return drawQrCode(data);
}

const pixelsPerModule = 8;

/** Encodes a square of dark (true) and light modules as a black and white PNG. */
function drawPng(modules: readonly (readonly boolean[])[]): Uint8Array {
  const side = modules.length * pixelsPerModule;
  const png = new PNG({ width: side, height: side });
  const lines = modules.flatMap((row) => {
    const line = Buffer.alloc(side);
    for (const [column, isDark] of row.entries())
      line.fill(isDark ? 0x00 : 0xff, column * pixelsPerModule, (column + 1) * pixelsPerModule);
    return Array<Buffer>(pixelsPerModule).fill(line);
  });
  png.data = Buffer.concat(lines);
  return PNG.sync.write(png, { colorType: 0, inputColorType: 0, inputHasAlpha: false, filterType: 0 });
}

export const qrcode = resource('qrcode', 'QR codes for text.', [
  op(
    'GET /qrcode/{data}',
    {
      id: 'generateQrCode',
      sdk: 'QRCodeController.generateQrCode',
      summary: 'Generate a QR code',
      description: `Returns a PNG of a QR code that contains the data unchanged, up to ${maxDataBytes} bytes of UTF-8. Nothing is stored.`,
      access: anyone,
      params: {
        data: T.String({ description: 'The text to encode, percent-encoded.', minLength: 1, maxLength: maxDataBytes }),
      },
      returns: Png,
    },
    generateQrCode,
  ),
]);
