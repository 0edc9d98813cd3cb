import { record, T, text, texts, type ValueOf } from '@latchkey/kernel';

export const challengeTtlSeconds = 15 * 60;
export const requestIdLength = 32;

export const WalletChallengeRequest = record('WalletChallengeRequest', 'A request to sign in with a wallet.', {
  state: T.Optional(text('Returned unchanged in the response.', { maxLength: 2048 })),
  uri: T.Optional(text('The requesting page. It must be on this server or on an origin of a client application.')),
  domain: T.Optional(text('The domain the wallet shows. It must match `uri`.', { maxLength: 255 })),
  accountId: T.Optional(text('The account that will sign, for example evm:1:0x….', { maxLength: 128 })),
  resources: T.Optional(texts('Addresses to list in the message, as RFC 3986 URIs.', { maxLength: 512 })),
});
export type WalletChallengeRequest = ValueOf<typeof WalletChallengeRequest>;

export const WalletChallengeResponse = record('WalletChallengeResponse', 'What to sign.', {
  state: T.Optional(text('The state of the request.', { maxLength: 2048 })),
  requestId: T.Optional(text('Identifies this challenge when you send the signature.')),
  message: T.Optional(text('The exact text to sign with personal_sign.', { maxLength: 65_536 })),
});
export type WalletChallengeResponse = ValueOf<typeof WalletChallengeResponse>;

export const WalletIdTokenRequest = record('WalletIdTokenRequest', 'A signed challenge.', {
  requestId: text('The requestId of the challenge.', { minLength: 1, maxLength: 64 }),
  signature: text('The signature, as 0x and hex digits.', { minLength: 1, maxLength: 32_768 }),
  signatureType: T.Optional(
    text('Accepted for older clients; the signature type is detected automatically.', { maxLength: 64 }),
  ),
  accountId: T.Optional(text('The account that signed, if the challenge did not specify it.', { maxLength: 128 })),
  scopes: T.Optional(text('Accepted for older clients and ignored.')),
});
export type WalletIdTokenRequest = ValueOf<typeof WalletIdTokenRequest>;

export const WalletIdTokenResponse = record('WalletIdTokenResponse', 'The result of a login.', {
  idToken: text('An AE token, to be sent as `Authorization: AE <token>`. It is valid for one hour.', {
    maxLength: 8192,
  }),
});
export type WalletIdTokenResponse = ValueOf<typeof WalletIdTokenResponse>;
