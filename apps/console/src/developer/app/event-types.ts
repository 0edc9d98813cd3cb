import type { Input } from '../../shared/api/index.ts';

export type EventType = Input<'POST /latchkey/client-apps/{id}/webhook/test'>['body']['type'];

/** The display names of event types. */
export const eventTypes: Readonly<Record<EventType, string>> = {
  'member.role-granted': 'A member got a role',
  'member.role-revoked': 'A member lost a role',
  'change-set.held': 'Role changes wait for approval',
  'change-set.decided': 'Waiting role changes were decided',
  'change-set.large': 'Many roles change',
  'role.blocked': 'A role cannot be changed',
  'role.unblocked': 'A blocked role works again',
  'community.setup-broken': 'The bot lacks a permission',
  'community.setup-fixed': 'The bot has its permissions again',
  'client-app.status-changed': 'The application was reviewed',
  'client-app.api-key-reset': 'The API key was replaced',
  'client-app.deleted': 'The application was deleted',
  'organization.verified': 'An organization was confirmed',
};
