import { anyone, op, resource } from '@latchkey/kernel';
import { currentKey, ed25519Texts, publicPem, uncompressedHex } from '../../services/signing-keys/index.ts';
import type { Context } from '../../shared/context.ts';
import { ConfigResponse } from './config.ts';

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
