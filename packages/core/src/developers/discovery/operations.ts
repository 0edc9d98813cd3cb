import { anyone, op, resource } from '@latchkey/kernel';
import { retiredKeyDays } from '../signing-keys/index.ts';
import { describeProvider } from './describe-provider.ts';
import { JwkSet, ProviderMetadata } from './discovery.ts';
import { getJwks } from './reads.ts';

export const discovery = resource(
  'discovery',
  'Find out by machine what this server signs with and where it listens.',
  [
    op(
      'GET /.well-known/jwks.json',
      {
        id: 'getJwks',
        sdk: 'JwksController.getJwks',
        summary: 'Read the public keys',
        description: `The public keys that tokens of this server can be verified with. Ask again when a token names a key you do not know: keys are replaced from time to time, and a replaced key stays in the list for ${retiredKeyDays} days.`,
        access: anyone,
        returns: JwkSet,
      },
      getJwks,
    ),
    op(
      'GET /.well-known/openid-configuration',
      {
        id: 'getOpenIdConfig',
        sdk: 'OAuth2Controller.getOpenIdConfig',
        summary: 'Read the provider metadata',
        description:
          'The metadata that OAuth2 and OpenID Connect clients configure themselves with. It lists only what this server really serves.',
        access: anyone,
        returns: ProviderMetadata,
      },
      describeProvider,
    ),
  ],
);
