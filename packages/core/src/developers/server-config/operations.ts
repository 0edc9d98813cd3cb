import { anyone, op, resource } from '@latchkey/kernel';
import { currentKey, ed25519Texts, publicPem, uncompressedHex } from '../../services/signing-keys/index.ts';
import type { Context } from '../../shared/context.ts';
import { ConfigResponse } from './config.ts';

export const serverConfig = resource('config', 'What programs may know about this server.', [
  op(
    'GET /config',
    {
      id: 'getConfig',
      sdk: 'ConfigController.getConfig',
      summary: 'Read the public settings',
      description:
        'The public keys of this server and the ids it is known by elsewhere. Mini-apps verify the calls they get with one of the two action keys. Keys are replaced from time to time, so read them again when a signature does not fit.',
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
