import { record, T, text, type ValueOf } from '@latchkey/kernel';

export const TokenproofQRCode = record('TokenproofQRCode', 'What to show so that a phone can prove an account.', {
  qrcode_image: T.Optional(text('A PNG of the QR code, as a data URL.', { maxLength: 100_000 })),
  app_link: T.Optional(text('The same as a link, for a page that is open on the phone itself.')),
  ttl: T.Optional(T.Number({ description: 'How long it works, in seconds.' })),
  version: T.Optional(text('The version of this exchange.', { maxLength: 16 })),
  request_id: T.Optional(text('Identifies the request when polling for its result.', { maxLength: 64 })),
});
export type TokenproofQRCode = ValueOf<typeof TokenproofQRCode>;

export const TokenproofPayload = record('TokenproofPayload', 'The response of the app.', {
  nonce: text('The nonce of the request.', { maxLength: 128 }),
  status: T.Optional(text('waiting, authenticated, rejected, or linked and taken once an account was proven.')),
  account: T.Optional(text('The account that was proven.')),
  reason: T.Optional(text('Why it failed.')),
  timestamp: T.Optional(text('When the app responded.', { maxLength: 64 })),
  session_id: T.Optional(text('The app’s own name for the exchange.', { maxLength: 128 })),
});
export type TokenproofPayload = ValueOf<typeof TokenproofPayload>;
