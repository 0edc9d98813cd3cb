import type { EventType } from './events.ts';
import { T, text, texts, type ValueOf } from './schema.ts';

const clientId = text('The client application.');
const communityId = text('The community.');
const userId = text('The member.');
const changeSetId = text('The change set.');
const role = text('The role, by its id on the chat platform.');
const problems = texts('What is missing, each a sentence.');
const nobody = (description: string) => T.Union([T.String({ maxLength: 1024 }), T.Null()], { description });

const roleOfMember = T.Object({ communityId, userId, roleId: role, changeSetId });
const memberOf = T.Object({ communityId, userId });
const rule = T.Object({
  communityId,
  ruleId: text('The rule.'),
  roleId: text('The role that the rule grants.'),
  changedBy: text('Who changed it, as in the audit log.'),
});

/** The `data` of each event. Later versions may add fields. */
export const eventData = {
  'client-app.status-changed': T.Object({
    clientId,
    status: text('The status now, for example APPROVED.'),
    previousStatus: text('The status before.'),
  }),
  'client-app.api-key-reset': T.Object({ clientId }),
  'client-app.deleted': T.Object({ clientId, name: text('The name that it had.') }),
  'organization.verified': T.Object({ organizationId: text('The organization.') }),
  'member.role-granted': roleOfMember,
  'member.role-revoked': roleOfMember,
  'member.wallet-linked': memberOf,
  'member.wallet-unlinked': memberOf,
  'rule.created': rule,
  'rule.changed': rule,
  'rule.removed': rule,
  'change-set.held': T.Object({
    communityId,
    changeSetId,
    roleIds: texts('The roles that it would remove.'),
    revokes: T.Number({ description: 'How many roles it would remove from members.' }),
  }),
  'change-set.decided': T.Object({
    communityId,
    changeSetId,
    status: nobody('The status now, for example approved; null if the change set is gone.'),
    decidedBy: nobody('Who decided; null if no one did.'),
  }),
  'change-set.large': T.Object({
    communityId,
    changeSetId,
    grants: T.Number({ description: 'How many roles it gave to members.' }),
    revokes: T.Number({ description: 'How many roles it removed from members.' }),
  }),
  'role.blocked': T.Object({
    communityId,
    roleId: text('The role; "*" for every role of the community.'),
    advice: T.Optional(text('What to do about it.')),
  }),
  'role.unblocked': T.Object({ communityId, roleId: text('The role; "*" for every role of the community.') }),
  'community.setup-broken': T.Object({ communityId, problems }),
  'community.setup-fixed': T.Object({ communityId, problems }),
} as const satisfies Record<EventType, unknown>;

export type EventData = { [Type in EventType]: ValueOf<(typeof eventData)[Type]> };
