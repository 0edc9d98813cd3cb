import type { Input } from '../shared/api/index.ts';

export type EventType = Input<'POST /latchkey/client-apps/{id}/webhook/test'>['body']['type'];

/** The messages that name the types of events. */
export const eventTypes = {
  'member.role-granted': 'event.roleGranted',
  'member.role-revoked': 'event.roleRevoked',
  'member.wallet-linked': 'event.walletLinked',
  'member.wallet-unlinked': 'event.walletUnlinked',
  'rule.created': 'event.ruleCreated',
  'rule.changed': 'event.ruleChanged',
  'rule.removed': 'event.ruleRemoved',
  'change-set.held': 'event.changesHeld',
  'change-set.decided': 'event.changesDecided',
  'change-set.large': 'event.changesLarge',
  'role.blocked': 'event.roleBlocked',
  'role.unblocked': 'event.roleUnblocked',
  'community.setup-broken': 'event.setupBroken',
  'community.setup-fixed': 'event.setupFixed',
  'client-app.status-changed': 'event.appReviewed',
  'client-app.api-key-reset': 'event.keyReplaced',
  'client-app.deleted': 'event.appDeleted',
  'organization.verified': 'event.organizationVerified',
} as const satisfies Readonly<Record<EventType, string>>;
