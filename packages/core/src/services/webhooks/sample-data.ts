import type { EventData, EventType } from '@latchkey/kernel';

const communityId = 'DIS#COMM#900000000000000001';
const changeSetId = 'samplePlan00000000001';
const roleId = '900000000000000002';
const ruleId = 'TPC#1';
const rule = { communityId, ruleId, roleId, changedBy: 'DIS#USER#900000000000000004' };
const member = { communityId, userId: 'DIS#USER#900000000000000003', roleId, changeSetId };
const problems = ['The bot lacks the permission "Manage Roles".'];

/** Sample content of each event, with ids of no real object. */
const samples: { readonly [Type in EventType]: Omit<EventData[Type], 'clientId'> } = {
  'client-app.status-changed': { status: 'APPROVED', previousStatus: 'PENDING' },
  'client-app.api-key-reset': {},
  'client-app.deleted': { name: 'Sample' },
  'organization.verified': { organizationId: 'sampleOrganization001' },
  'member.role-granted': member,
  'member.role-revoked': member,
  'member.wallet-linked': { communityId, userId: member.userId },
  'member.wallet-unlinked': { communityId, userId: member.userId },
  'rule.created': rule,
  'rule.changed': rule,
  'rule.removed': rule,
  'change-set.held': { communityId, changeSetId, roleIds: [roleId], revokes: 25 },
  'change-set.decided': { communityId, changeSetId, status: 'approved', decidedBy: member.userId },
  'change-set.large': { communityId, changeSetId, grants: 120, revokes: 4 },
  'role.blocked': { communityId, roleId, advice: 'Move the role of the bot above this role.' },
  'role.unblocked': { communityId, roleId },
  'community.setup-broken': { communityId, problems },
  'community.setup-fixed': { communityId, problems },
};

/** Returns the `data` of a test event. */
export function sampleData(type: EventType, clientId: string): Record<string, unknown> {
  return { ...(type.startsWith('client-app.') && { clientId }), ...samples[type] };
}
