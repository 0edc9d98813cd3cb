import { anyone, notFound, op, PlainText, resource, T } from '@latchkey/kernel';
import { findPublicKey, publicPem, retiredKeyDays } from '../../services/signing-keys/index.ts';
import type { Context } from '../../shared/context.ts';

export const jwt = resource('jwt', 'The keys that tokens are signed with.', [
  op(
    'GET /jwt/public-keys/{kid}',
    {
      id: 'getPublicKey',
      sdk: 'JwksController.getPublicKey',
      summary: 'Get a public key',
      description: `Returns one of the keys of /.well-known/jwks.json as SPKI in PEM, for programs that do not support JSON Web Keys: as plain text, or as a JSON string if the Accept header is application/json. A replaced key stays available for ${retiredKeyDays} days.`,
      access: anyone,
      params: {
        kid: T.String({ description: 'The id of the key, as in the header of a token.', minLength: 1, maxLength: 64 }),
      },
      returns: PlainText,
      errors: ['ENTITY_NOT_FOUND'],
    },
    getPublicKey,
  ),
]);

export async function getPublicKey(
  ctx: Pick<Context, 'clock' | 'db' | 'keyring'>,
  { kid }: { kid: string },
): Promise<string> {
  const key = await findPublicKey(ctx, 'jwt', kid);
  if (key === undefined) throw notFound('public key');
  return publicPem(key.publicKey);
}
