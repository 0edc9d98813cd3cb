import { listOf, NoContent, op, shape, T, thePerson } from '@latchkey/kernel';
import { Authenticator } from './authenticator.ts';
import { listAuthenticators, removeAuthenticator } from './authenticators.ts';
import { confirmAuthenticator } from './confirm.ts';
import { maxConfirmed } from './enrolment.ts';
import { requestId } from './params.ts';

const idsOfNobody = { requestId: 'The id is of the caller’s own choice, and counts for that caller only.' };

const code = (description: string) => T.String({ description, pattern: '^[0-9]{6}$', minLength: 6, maxLength: 6 });

export const authenticatorOperations = [
  op(
    'GET /latchkey/account/authenticators',
    {
      id: 'listAuthenticators',
      summary: 'List your authenticator apps',
      description:
        'Returns the authenticator apps of the signed-in person, oldest first: those in use and those that wait for a first code. GET /totp/{requestId} enrolls one.',
      access: thePerson,
      returns: listOf(Authenticator),
    },
    listAuthenticators,
  ),
  op(
    'POST /latchkey/account/authenticators/{requestId}/confirm',
    {
      id: 'confirmAuthenticator',
      summary: 'Confirm an authenticator app',
      description: `Takes an enrolled authenticator app into use beside those you have. Send the code it shows, and a code of an app that is in use, if there is one. You can have up to ${maxConfirmed}. Codes of every app in use count. A new app approves signatures only after the rest time that the operator set (24 hours by default). Fails with INVALID_OTP for a wrong or used code.`,
      audit: 'authenticator.add',
      facts: {
        needsNoKey: 'A code works once, so a second attempt changes nothing.',
        senderDecides: 'code currentCode',
        idsOfNobody,
      },
      access: thePerson,
      params: { requestId },
      body: shape(
        T.Object({
          code: code('The code that the new app shows.'),
          currentCode: T.Optional(code('The code that an app in use shows. Required if there is one.')),
        }),
      ),
      returns: Authenticator,
      errors: ['ENTITY_NOT_FOUND', 'INVALID_OTP', 'STATE_CONFLICT', 'TOO_MANY_TRIES'],
    },
    confirmAuthenticator,
  ),
  op(
    'DELETE /latchkey/account/authenticators/{requestId}',
    {
      id: 'removeAuthenticator',
      summary: 'Remove an authenticator app',
      description:
        'Its codes no longer count. Needs a sign-in by wallet, passkey or chat account within the last 10 minutes, so that you can also remove an app that you have lost.',
      audit: 'authenticator.remove',
      facts: { idsOfNobody },
      access: thePerson,
      params: { requestId },
      returns: NoContent,
      errors: ['ENTITY_NOT_FOUND', 'PRESENCE_REQUIRED'],
    },
    removeAuthenticator,
  ),
] as const;
