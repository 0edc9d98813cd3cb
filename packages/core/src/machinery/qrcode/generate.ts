import { AppError } from '@latchkey/kernel';
import { encode } from 'uqr';
import { drawPng } from './png.ts';

export const maxDataBytes = 1200;

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
