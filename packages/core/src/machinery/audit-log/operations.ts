import {
  type AuditAction,
  admin,
  auditActions,
  choice,
  isAuditAction,
  op,
  pageOf,
  pageParams,
  T,
  text,
  thePerson,
} from '@latchkey/kernel';
import { communityAdmin } from '../../communities/communities/index.ts';
import { AuditLogEntry } from './entry.ts';
import { listAudit, listCommunityAudit, listOwnAudit } from './reads.ts';

const actions: readonly AuditAction[] = Object.keys(auditActions).filter(isAuditAction);
const params = {
  action: T.Optional(choice('Only entries of this action.', actions)),
  ...pageParams,
};
const returns = pageOf(AuditLogEntry, 'AuditLogPage');

export const auditLogOperations = [
  op(
    'GET /latchkey/communities/{communityId}/audit-log',
    {
      id: 'listCommunityAuditLog',
      summary: 'List a community’s audit log',
      description:
        'Returns who changed the community, its admins, rules, mini-apps and role plans, newest first. For community admins, signed in to this server; no scope grants it.',
      access: communityAdmin('communityId'),
      params: {
        communityId: text('The id of the community, for example DIS#COMM#123, or the platform’s own id.', {
          minLength: 1,
          maxLength: 128,
        }),
        ...params,
      },
      returns,
      paginated: 'token',
    },
    listCommunityAudit,
  ),
  op(
    'GET /latchkey/account/audit-log',
    {
      id: 'listAccountAuditLog',
      summary: 'List your audit log',
      description:
        'Returns what the signed-in person did with power over accounts, apps, communities and keys, and what others did to the account, newest first.',
      access: thePerson,
      params,
      returns,
      paginated: 'token',
    },
    listOwnAudit,
  ),
  op(
    'GET /latchkey/audit-log',
    {
      id: 'listAuditLog',
      summary: 'List the server’s audit log',
      description:
        'Returns everything on record, newest first. Filter by action, or by a user who did it or whom it is about. For the operator.',
      access: admin(),
      params: {
        userId: T.Optional(text('Only entries of this user, and about them.', { minLength: 1, maxLength: 128 })),
        ...params,
      },
      returns,
      paginated: 'token',
    },
    listAudit,
  ),
] as const;
