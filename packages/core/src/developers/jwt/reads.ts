import { notFound } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { findPublicKey, publicPem } from '../signing-keys/index.ts';

export async function getPublicKey(
  ctx: Pick<Context, 'clock' | 'db' | 'keyring'>,
  { kid }: { kid: string },
): Promise<string> {
  const key = await findPublicKey(ctx, 'jwt', kid);
  if (key === undefined) throw notFound('public key');
  return publicPem(key.publicKey);
}
