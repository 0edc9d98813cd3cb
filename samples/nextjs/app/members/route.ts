import { nextGate } from '@latchkey/gate/next';
import { gate, visitor } from '../../gate';

export const GET = nextGate(
  gate,
  { visitor, loginUrl: '/login' },
  (_request, { holder }) => new Response(`Welcome, ${holder.roles.join(', ')}!`),
);
