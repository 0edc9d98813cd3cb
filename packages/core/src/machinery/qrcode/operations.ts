import { anyone, op, Png, resource, T } from '@latchkey/kernel';
import { generateQrCode, maxDataBytes } from './generate.ts';

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
