/** The closed list of events that client applications can subscribe to. */
export const events = {
  'client-app.status-changed': 'The status of the client application changed, for example from PENDING to APPROVED.',
  'client-app.api-key-reset': 'The API key of the client application was replaced.',
  'client-app.deleted': 'The client application was deleted.',
  'organization.verified': 'The organization confirmed its e-mail address.',
  'member.role-granted': 'A member gained a role under the community’s rules.',
  'member.role-revoked': 'A member lost a role under the community’s rules.',
  'member.wallet-linked': 'A member linked a wallet or another account that counts in the community.',
  'member.wallet-unlinked': 'A wallet or another account of a member no longer counts in the community.',
  'rule.created': 'A rule was added to the community.',
  'rule.changed': 'A rule of the community was changed.',
  'rule.removed': 'A rule was removed from the community.',
  'change-set.held': 'A change set removes a role from enough members that an admin must approve it.',
  'change-set.decided': 'A held change set was approved or rejected, or is no longer needed.',
  'change-set.large': 'A change set changed the roles of many members without waiting for an admin.',
  'role.blocked':
    'A role, or every role in a community, cannot be changed until someone fixes the problem on the platform.',
  'role.unblocked': 'A role that was blocked can be changed again.',
  'community.setup-broken': 'The bot is missing something it needs on the platform to change roles.',
  'community.setup-fixed': 'The bot has everything it needs on the platform again.',
} as const;

export type EventType = keyof typeof events;

export function isEventType(type: string): type is EventType {
  return Object.hasOwn(events, type);
}
