/** The closed list of events that client applications can subscribe to. */
export const events = {
  'client-app.status-changed': 'The status of the client application changed, for example from PENDING to APPROVED.',
  'client-app.api-key-reset': 'The API key of the client application was replaced.',
  'client-app.deleted': 'The client application was deleted.',
  'organization.verified': 'The organization confirmed its e-mail address.',
  'member.role-granted': 'A member of a community was given a role by its rules.',
  'member.role-revoked': 'A member of a community lost a role by its rules.',
  'change-set.held': 'A change set removes a role from so many members that an admin must approve it.',
  'change-set.decided': 'A held change set was approved or rejected, or is no longer needed.',
  'change-set.large': 'A change set changes the roles of many members without waiting for an admin.',
  'role.blocked': 'A role, or every role of a community, cannot be changed until somebody fixes it on the platform.',
  'role.unblocked': 'A role that was blocked can be changed again.',
  'community.setup-broken': 'The bot lacks something on the platform that it needs to change roles.',
  'community.setup-fixed': 'What the bot lacked on the platform is there again.',
} as const;

export type EventType = keyof typeof events;

export function isEventType(type: string): type is EventType {
  return Object.hasOwn(events, type);
}
