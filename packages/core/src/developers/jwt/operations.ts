import { anyone, op, PlainText, resource, T } from '@latchkey/kernel';
import { retiredKeyDays } from '../signing-keys/index.ts';
import { getPublicKey } from './reads.ts';

export const jwt = resource('jwt', 'The keys that tokens are signed with.', [
  op(
    'GET /jwt/public-keys/{kid}',
    {
      id: 'getPublicKey',
      sdk: 'JwksController.getPublicKey',
      summary: 'Read one public key',
      description: `Returns one of the keys of /.well-known/jwks.json as SPKI in PEM, for programs that do not read JSON Web Keys: as plain text, or as a JSON string if the Accept header names application/json. A key that was replaced can be read for another ${retiredKeyDays} days.`,
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
