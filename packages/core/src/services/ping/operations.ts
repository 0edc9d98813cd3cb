import { anyone, OpenObject, op, resource, T } from '@latchkey/kernel';
import { ping } from './ping.ts';

export const pings = resource('ping', 'A sign of life.', [
  op(
    'GET /ping',
    {
      id: 'ping',
      sdk: 'PingController.ping',
      summary: 'Check server status',
      description:
        'Returns the version and the time of the server at once. With `wait`, every running process is pinged through the database, and those that respond within that many seconds are listed under `pongs`.',
      access: anyone,
      params: {
        wait: T.Optional(T.Number({ description: 'How many seconds to wait for pongs.', minimum: 0, maximum: 5 })),
      },
      returns: OpenObject,
    },
    ping,
  ),
]);
