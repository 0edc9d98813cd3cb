import { anyone, op, resource } from '@latchkey/kernel';
import { ConfigResponse } from './config.ts';
import { getConfig } from './reads.ts';

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
