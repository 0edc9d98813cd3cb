import { type Access, op, pageOf, pageParams, T, text } from '@latchkey/kernel';
import { getMyRoleCheck, startMyRoleCheck } from './check.ts';
import { getMyRoles } from './explain.ts';
import { listMemberships, Membership } from './memberships.ts';
import { MyRoleCheck, MyRoles } from './my-roles.ts';

/** The person, or an application that may read their communities; not the operator in their place. */
const access: Access = { roles: ['$user_account'], scopes: ['user:community:read'] };
const communityId = text('The qualified id of the community, for example DIS#COMM#123.', {
  minLength: 1,
  maxLength: 128,
});

export const myRoleOperations = [
  op(
    'GET /latchkey/account/memberships',
    {
      id: 'listMemberships',
      summary: 'List communities you are in',
      description:
        'Returns the communities of this server that the signed-in person is known to be a member of, each with its name and where its picture is.',
      access,
      params: pageParams,
      returns: pageOf(Membership, 'MembershipPage'),
      paginated: 'token',
    },
    listMemberships,
  ),
  op(
    'GET /latchkey/account/communities/{communityId}/roles',
    {
      id: 'getMyRoles',
      summary: 'Explain your roles in a community',
      description:
        'Evaluates the rules of a community for the signed-in person now. Returns the roles they have and could have, and for each condition whether it is met, what it needs and what was found. Reads wallets and the chat platform while you wait; nothing is changed. List your communities with GET /account/communities.',
      access,
      params: { communityId },
      returns: MyRoles,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'UNAVAILABLE'],
    },
    getMyRoles,
  ),
  op(
    'POST /latchkey/account/communities/{communityId}/role-check',
    {
      id: 'startMyRoleCheck',
      summary: 'Check your own roles now',
      description:
        'Has a worker check the signed-in person’s roles in a community and write what must change. Started again before it has run, it stays one check. Follow it with the GET of the same path.',
      facts: { needsNoKey: 'Asked again, it stays one check.' },
      audit: 'roles.check',
      access: { ...access, scopes: ['user:wallet:write'] },
      params: { communityId },
      returns: MyRoleCheck,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT'],
    },
    startMyRoleCheck,
  ),
  op(
    'GET /latchkey/account/communities/{communityId}/role-check',
    {
      id: 'getMyRoleCheck',
      summary: 'Get the state of your role check',
      description:
        'Returns whether a check of the signed-in person’s roles still waits, and how many changes wait, were made or failed since a time.',
      access,
      params: {
        communityId,
        since: T.Optional(text('Count changes from then on, in ISO 8601. Defaults to now.', { maxLength: 40 })),
      },
      returns: MyRoleCheck,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'INVALID_PARAMETER_VALUE'],
    },
    getMyRoleCheck,
  ),
] as const;
