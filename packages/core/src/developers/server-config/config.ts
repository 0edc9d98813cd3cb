import { T, text } from '@latchkey/kernel';

export interface ConfigResponse {
  jwtPublicKey: string;
  discordClientId?: string | undefined;
  actionEcdsaPublicKey: string;
  actionEd25519PublicKey: string;
  actionEd25519PublicKeyHex: string;
}

const optional = (description: string) => T.Optional(text(description));

/** Further fields are allowed by the contract of existing clients, which read all of them as text. */
export const ConfigResponse = T.Unsafe<ConfigResponse>(
  T.Object(
    {
      jwtPublicKey: optional('The public key that tokens are signed with now, as SPKI in PEM.'),
      discordClientId: optional('The id of the Discord application, if one is configured.'),
      actionEcdsaPublicKey: optional('The secp256k1 key that signs calls to mini-apps: 0x04 and 128 hex digits.'),
      actionEd25519PublicKey: optional('The Ed25519 key that signs calls to mini-apps, in base 58.'),
      actionEd25519PublicKeyHex: optional('The same Ed25519 key in hex.'),
    },
    {
      'x-name': 'ConfigResponse',
      additionalProperties: text('A further public setting.'),
      description: 'The public settings of this server.',
    },
  ),
);
