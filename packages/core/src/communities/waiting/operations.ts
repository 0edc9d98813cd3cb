import { op, user } from '@latchkey/kernel';
import { listWaiting } from './list.ts';
import { Waiting } from './waiting.ts';

export const waitingOperations = [
  op(
    'GET /latchkey/account/waiting',
    {
      id: 'listWaiting',
      summary: 'List items that need your attention',
      description:
        'Returns what waits for the signed-in person: role changes that need approval and blocked roles in the communities they are an admin of. For the operator, applications and mini-apps that wait for a decision. No scope grants it.',
      access: user(),
      returns: Waiting,
    },
    listWaiting,
  ),
] as const;
