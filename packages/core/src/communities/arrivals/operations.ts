import { op, thePerson } from '@latchkey/kernel';
import { ArrivalList, listArrivals } from './list-arrivals.ts';

export const arrivalOperations = [
  op(
    'GET /latchkey/account/arrivals',
    {
      id: 'listArrivals',
      summary: 'List servers the bot joined',
      description:
        'Returns the servers that the bot is in, that the signed-in person manages on the chat platform, and that nobody has added here yet. Add one with `POST /communities`. The platform is asked about servers of other owners if the bot joined them in the last 24 hours.',
      access: thePerson,
      returns: ArrivalList,
    },
    listArrivals,
  ),
] as const;
