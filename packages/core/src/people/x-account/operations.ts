import { NoContent, op, thePerson } from '@latchkey/kernel';
import { attemptTtlSeconds, LinkAttempt, returnedFrom } from '../link-attempts/index.ts';
import { beginXLink } from './begin-link.ts';
import { finishXLink } from './finish-link.ts';
import { getXAccount } from './reads.ts';
import { unlinkX } from './unlink.ts';
import { XAccount } from './x-account.ts';

const minutes = attemptTtlSeconds / 60;

export const xAccountOperations = [
  op(
    'GET /latchkey/account/x',
    {
      id: 'getXAccount',
      summary: 'Get your linked X account',
      description:
        'Returns the X account that is linked to the signed-in person, and whether X accounts can be linked on this server. Rules of the kind twitter look at it.',
      access: thePerson,
      returns: XAccount,
    },
    getXAccount,
  ),
  op(
    'POST /latchkey/account/x/attempts',
    {
      id: 'beginXLink',
      summary: 'Start linking an X account',
      description: `Returns the address at X where the person allows it (OAuth 2.0 with PKCE). X then sends the browser to /account/x of this server with a code. An attempt works once, for ${minutes} minutes, for the person who started it; of several, the newest five count.`,
      facts: { needsNoKey: 'Each attempt has a state of its own; unused ones expire.' },
      access: thePerson,
      returns: LinkAttempt,
      errors: ['UNAVAILABLE'],
    },
    beginXLink,
  ),
  op(
    'POST /latchkey/account/x',
    {
      id: 'finishXLink',
      summary: 'Finish linking an X account',
      description:
        'Links the X account that allowed it. X is asked which account it is; no token of X is kept. Roles that depend on it are re-checked. Refused if another account of one of your communities has linked it, or if you have linked another X account.',
      facts: { needsNoKey: 'It asks X; its state and code work once.', senderDecides: 'state code' },
      access: thePerson,
      body: returnedFrom('X'),
      returns: XAccount,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'UNAVAILABLE'],
    },
    finishXLink,
  ),
  op(
    'DELETE /latchkey/account/x',
    {
      id: 'unlinkX',
      summary: 'Unlink your X account',
      description: 'Unlinks the X account of the signed-in person. Roles that depend on it are removed.',
      access: thePerson,
      returns: NoContent,
      errors: ['ENTITY_NOT_FOUND'],
    },
    unlinkX,
  ),
] as const;
