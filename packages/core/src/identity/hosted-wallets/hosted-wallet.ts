import { createHash } from 'node:crypto';
import { record, T, text, texts, type ValueOf } from '@latchkey/kernel';

export const maxMessageLength = 32_768;

const PkpAuthMethod = record('PkpAuthMethod', 'A way to authenticate the owner of a hosted wallet.', {
  type: T.Optional(text('The platform of the account, or webauthn for a passkey.', { maxLength: 64 })),
  id: T.Optional(text('The id of the account, or of the passkey on its authenticator.', { maxLength: 1366 })),
  publicKey: T.Optional(text('Of a passkey: its public key, a COSE key in base64url.', { maxLength: 8192 })),
  scopes: T.Optional(
    texts('What it can be used for: user:pkp:sign signs, step-up approves typed data and hashes.', { maxLength: 64 }),
  ),
});
export type PkpAuthMethod = ValueOf<typeof PkpAuthMethod>;

export const PkpItem = record('PkpItem', 'A wallet whose key this server stores for its user.', {
  tokenId: T.Optional(
    text('The id of the wallet: the hash of its public key, as a decimal number.', { maxLength: 78 }),
  ),
  ethAddress: T.Optional(text('Its Ethereum address (EIP-55).', { maxLength: 42 })),
  publicKey: T.Optional(text('Its public key: 0x04 and both coordinates in hexadecimal.', { maxLength: 132 })),
  permittedActions: T.Optional(
    texts(
      'The supported signing methods: personal_sign, eth_signTypedData_v4, and eth_sign where bare hashes are allowed.',
      {
        maxLength: 64,
      },
    ),
  ),
  permittedAddresses: T.Optional(texts('The addresses it can sign for: its own.', { maxLength: 42 })),
  permittedAuthMethods: T.Optional(
    T.Array(PkpAuthMethod, { description: 'How its owner can be authenticated.', maxItems: 200 }),
  ),
});
export type PkpItem = ValueOf<typeof PkpItem>;

export const PkpClaimResponse = record('PkpClaimResponse', 'A hosted wallet, and where it is registered.', {
  pkp: T.Optional(PkpItem),
  txHash: T.Optional(text('The transaction that registers it on the configured chain.', { maxLength: 66 })),
});
export type PkpClaimResponse = ValueOf<typeof PkpClaimResponse>;

export const CheckPkpAvailabilityResponse = record(
  'CheckPkpAvailabilityResponse',
  'The hosted wallet status of a Telegram user.',
  {
    hasPkp: T.Optional(T.Boolean({ description: 'Whether there is a hosted wallet.' })),
    hasPasskey: T.Optional(T.Boolean({ description: 'Whether the account has a passkey.' })),
    hasPasskeyAuth: T.Optional(
      T.Boolean({ description: 'Whether a passkey of the account can approve typed data, once there is a wallet.' }),
    ),
  },
);
export type CheckPkpAvailabilityResponse = ValueOf<typeof CheckPkpAvailabilityResponse>;

export const SignMessageRequest = record('SignMessageRequest', 'What the hosted wallet signs.', {
  address: T.String({
    description: 'The address of the caller’s hosted wallet.',
    pattern: '^0x[0-9a-fA-F]{40}$',
    maxLength: 42,
  }),
  message: text(
    'A text; or typed data (EIP-712) as JSON; or a hash of 32 bytes as 0x and 64 hexadecimal digits, where that is allowed.',
    { minLength: 1, maxLength: maxMessageLength },
  ),
  otp: T.Optional(
    text(
      'For typed data, a bare hash and a message that links the wallet: a code from the caller’s authenticator app, or the slug from POST /webauthn/authentication/store for a passkey response to the passkeyOptions in the details of the error returned without otp.',
      { minLength: 1, maxLength: 64 },
    ),
  ),
});
export type SignMessageRequest = ValueOf<typeof SignMessageRequest>;

export const SignMessageResponse = record('SignMessageResponse', 'What was signed, and the signature.', {
  address: T.Optional(text('The address that signed.', { maxLength: 42 })),
  message: T.Optional(text('The message as it was signed.', { maxLength: maxMessageLength })),
  signature: T.Optional(text('The signature: 0x and r, s and v in hexadecimal.', { maxLength: 132 })),
});
export type SignMessageResponse = ValueOf<typeof SignMessageResponse>;

export const signScope = 'user:pkp:sign';
export const stepUpScope = 'step-up';

/**
 * Returns the registry's hash of the owner. Without the salt, which is erased with the account, it identifies no one.
 */
export function ownerHash({ salt, userId }: { salt: string; userId: string }): string {
  return `0x${createHash('sha256').update(Buffer.from(salt, 'hex')).update(userId).digest('hex')}`;
}
