import { anyone, op, resource, T, text } from '@latchkey/kernel';
import { currentKey, ed25519Texts, publicPem, uncompressedHex } from '../../services/signing-keys/index.ts';
import type { Context } from '../../shared/context.ts';

export interface ConfigResponse {
  jwtPublicKey: string;
  discordClientId?: string | undefined;
  actionEcdsaPublicKey: string;
  actionEd25519PublicKey: string;
  actionEd25519PublicKeyHex: string;
}

const optional = (description: string) => T.Optional(text(description));

/** The contract of existing clients allows additional fields, all of which they read as text. */
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

export const serverConfig = resource('config', 'Public settings of this server.', [
  op(
    'GET /config',
    {
      id: 'getConfig',
      sdk: 'ConfigController.getConfig',
      summary: 'Get public settings',
      description:
        'Returns the public keys of this server and its ids on other platforms. Mini-apps verify incoming calls with one of the two action keys. Keys are replaced from time to time, so fetch them again when a signature does not match.',
      access: anyone,
      returns: ConfigResponse,
    },
    getConfig,
  ),
]);

export async function getConfig(ctx: Pick<Context, 'clock' | 'db' | 'keyring' | 'settings'>): Promise<ConfigResponse> {
  const [jwt, ecdsa, ed25519] = await Promise.all([
    currentKey(ctx, 'jwt'),
    currentKey(ctx, 'action-ecdsa'),
    currentKey(ctx, 'action-ed25519'),
  ]);
  const { base58, hex } = ed25519Texts(ed25519.publicKey);
  return {
    jwtPublicKey: publicPem(jwt.publicKey),
    discordClientId: ctx.settings.discordClientId,
    actionEcdsaPublicKey: uncompressedHex(ecdsa.publicKey),
    actionEd25519PublicKey: base58,
    actionEd25519PublicKeyHex: hex,
  };
}
