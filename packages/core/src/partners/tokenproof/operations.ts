import { anyone, op, resource, T } from '@latchkey/kernel';
import { pendingTtlSeconds } from '../../people/wallet-manager/index.ts';
import { tokenproofLogin } from './authorize.ts';
import { getTokenproofResponse } from './read-response.ts';
import { TokenproofPayload, TokenproofQRCode } from './request.ts';

export const tokenproof = resource('tokenproof', 'Proving an account by phone, in the shapes of tokenproof.', [
  op(
    'GET /tokenproof/authorize',
    {
      id: 'tokenproofLogin',
      sdk: 'TokenproofLoginController.login',
      summary: 'Request a proof from a phone',
      description: `Creates a request that a phone can answer for ${pendingTtlSeconds / 60} minutes, and a QR code that opens it at the service that the operator set up. That service speaks a protocol of Latchkey, not the one of tokenproof.xyz. The state is the slug of a link to connect a wallet, which says whose wallet it will be.`,
      changes: true,
      access: anyone,
      params: { state: T.String({ description: 'The slug of the link.', minLength: 1, maxLength: 64 }) },
      returns: TokenproofQRCode,
      errors: ['ENTITY_NOT_FOUND'],
    },
    tokenproofLogin,
  ),
  op(
    'GET /tokenproof/responses/{requestId}',
    {
      id: 'getTokenproofResponse',
      sdk: 'TokenproofLoginController.getResponse',
      summary: 'Get the phone’s response',
      description:
        'Asks the service that the operator set up for the answer to a request, and links the account that it proves. The answer counts only with the signature of the secret shared with that service and with the nonce of this request, and only once.',
      changes: true,
      access: anyone,
      params: {
        requestId: T.String({ description: 'The request_id.', minLength: 1, maxLength: 64 }),
        retries: T.Optional(
          T.String({
            description: 'How often to ask again, every half second, while there is no answer; up to 9.',
            pattern: '^[0-9]$',
            maxLength: 1,
          }),
        ),
      },
      returns: TokenproofPayload,
      errors: ['ENTITY_NOT_FOUND', 'INVALID_CREDENTIAL'],
    },
    getTokenproofResponse,
  ),
]);
