import type { Context } from '../../context.ts';
import { currentKey, ed25519Texts, publicPem, uncompressedHex } from '../signing-keys/index.ts';
import type { ConfigResponse } from './config.ts';

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
