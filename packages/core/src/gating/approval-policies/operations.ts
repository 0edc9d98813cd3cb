import type { Sql, Tx } from '@latchkey/db';
import { choice, op, record, shape, T, text, type ValueOf } from '@latchkey/kernel';
import { communityAdmin, confirmedCommunityAdmin, ownCommunity } from '../../communities/access/index.ts';
import { refuseLocked } from '../../communities/managed-rules/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { refuse } from '../../shared/refuse.ts';
import { requirePresence } from '../../shared/require-presence.ts';
import { isTimeZone, quietHoursOf, type RemovalLimits, toPolicy } from './policy.ts';
import {
  type ApprovalPolicyRow,
  manualChanges,
  type RoleApprovalPolicyRow,
  replacePolicy,
  selectPolicy,
  selectRolePolicies,
} from './queries.ts';
import { defaultLimits } from './read-policy.ts';

/** The maximum number of roles in a Discord server. */
const mostRoles = 250;

const removalPercent = T.Integer({
  description:
    'Removing a role from more than this percentage of its holders within 24 hours needs approval. With 100, no percentage does.',
  format: 'int32',
  minimum: 0,
  maximum: 100,
});
const removalCount = T.Integer({
  description: 'The percentage counts once a role is removed from at least this many members within 24 hours.',
  format: 'int32',
  minimum: 1,
  maximum: 1_000_000,
});
const removalsPerDay = T.Integer({
  description: 'Removing a role from more members than this within 24 hours needs approval, whatever their percentage.',
  format: 'int32',
  minimum: 0,
  maximum: 1_000_000,
});
const manualChangesField = choice(
  'What happens when a role that a rule names is given or taken by hand. correct: the member is checked at once, and the rules decide. report: admins get one notice per role. leave: nothing until the next check.',
  manualChanges,
);
const timeOfDay = (description: string) =>
  T.String({ description: `${description} For example, 22:00.`, pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', maxLength: 5 });

const QuietHours = T.Object(
  {
    from: timeOfDay('When they begin.'),
    to: timeOfDay('When they end. Earlier than `from` means the next day.'),
    timeZone: text('An IANA time zone, for example Europe/Berlin.', { minLength: 1, maxLength: 64 }),
  },
  { description: 'Hours in which roles are only removed with approval. Other removals wait until they end.' },
);

const RolePolicy = T.Object(
  {
    roleId: text('The id of the role.', { minLength: 1, maxLength: 128 }),
    removalPercent: T.Optional(removalPercent),
    removalCount: T.Optional(removalCount),
    removalsPerDay: T.Optional(removalsPerDay),
    approvesGrants: T.Boolean({ description: 'Whether granting the role needs approval too.' }),
    manualChanges: T.Optional(manualChangesField),
  },
  { description: 'What is different for one role. A missing value is that of the community.' },
);

const fields = {
  removalPercent: T.Optional(removalPercent),
  removalCount: T.Optional(removalCount),
  removalsPerDay: T.Optional(removalsPerDay),
  approvers: T.Integer({
    description: 'How many admins must approve held role changes.',
    format: 'int32',
    minimum: 1,
    maximum: 2,
  }),
  quietHours: T.Optional(QuietHours),
  manualChanges: T.Optional(manualChangesField),
  roles: T.Array(RolePolicy, { description: 'The roles with limits of their own.', maxItems: mostRoles }),
};

export const ApprovalPolicyBody = shape(
  T.Object(fields, {
    description:
      'The whole policy. A missing limit is the operator’s default; without manualChanges, changes by hand are left until the next check.',
  }),
);
export type ApprovalPolicyBody = ValueOf<typeof ApprovalPolicyBody>;

const ApprovalPolicy = record('ApprovalPolicy', 'Which role changes of a community need an admin’s approval.', {
  communityId: text('The qualified id of the community.'),
  ...fields,
  defaults: T.Object(
    { removalPercent, removalCount, removalsPerDay },
    { description: 'The operator’s limits, which apply where the community has none.' },
  ),
});
type ApprovalPolicy = ValueOf<typeof ApprovalPolicy>;

export const approvalPolicyOperations = [
  op(
    'GET /latchkey/communities/{communityId}/approval-policy',
    {
      id: 'getApprovalPolicy',
      summary: 'Get the approval policy',
      description:
        'Returns which role changes of a community need an admin’s approval, and the operator’s defaults. For community admins.',
      access: communityAdmin('communityId', 'role-manager'),
      params: { communityId: communityParam },
      returns: ApprovalPolicy,
    },
    getApprovalPolicy,
  ),
  op(
    'PUT /latchkey/communities/{communityId}/approval-policy',
    {
      id: 'setApprovalPolicy',
      summary: 'Set the approval policy',
      description:
        'Replaces the approval policy of a community. It applies to role changes from now on; those that are held stay held. For community admins who signed in within the last 10 minutes.',
      audit: 'approval-policy.change',
      auditedFields: ['removalPercent', 'removalCount', 'removalsPerDay', 'approvers', 'manualChanges'],
      access: confirmedCommunityAdmin('communityId', 'role-manager'),
      params: { communityId: communityParam },
      body: ApprovalPolicyBody,
      returns: ApprovalPolicy,
      errors: ['PRESENCE_REQUIRED', 'STATE_CONFLICT'],
    },
    setApprovalPolicy,
  ),
] as const;

export async function getApprovalPolicy(
  ctx: Context,
  { communityId }: { communityId: string },
): Promise<ApprovalPolicy> {
  const { system } = ctx.db;
  const { id } = await ownCommunity(ctx, communityId);
  return describe(ctx, id, await selectPolicy(system, id), await selectRolePolicies(system, id));
}

export async function setApprovalPolicy(
  ctx: Context,
  { communityId, body }: { communityId: string; body: ApprovalPolicyBody },
): Promise<ApprovalPolicy> {
  // A stolen session must not be able to turn off the limits that stop it from emptying a community.
  if (ctx.actor.kind === 'user') requirePresence(ctx);
  refuseBadPolicy(body);
  const { id } = await ownCommunity(ctx, communityId);
  return ctx.db.transaction('system', async (tx) => {
    await refuseLocked(tx, id);
    await putPolicy(tx, id, body);
    return describe(ctx, id, await selectPolicy(tx, id), await selectRolePolicies(tx, id));
  });
}

/** Refuses what fits the schema but cannot be a policy. */
export function refuseBadPolicy({ quietHours, roles }: ApprovalPolicyBody, path = ''): void {
  if (quietHours !== undefined && !isTimeZone(quietHours.timeZone))
    throw refuse(`${path}/quietHours/timeZone`, 'must be an IANA time zone, for example Europe/Berlin');
  if (quietHours !== undefined && quietHours.from === quietHours.to)
    throw refuse(`${path}/quietHours/to`, 'must differ from the beginning of the quiet hours');
  const repeated = roles.findIndex(({ roleId }, at) => roles.findIndex((other) => other.roleId === roleId) < at);
  if (repeated !== -1) throw refuse(`${path}/roles/${repeated}/roleId`, 'must not be listed twice');
}

/** Replaces the policy of a community. */
export async function putPolicy(tx: Tx, communityId: string, body: ApprovalPolicyBody): Promise<void> {
  const { row, ofRoles } = toRows(communityId, body);
  await replacePolicy(tx, row, ofRoles);
}

/** What would need approval in a community if this were its policy. */
export function policyOf(ctx: Pick<Context, 'settings'>, communityId: string, body: ApprovalPolicyBody) {
  const { row, ofRoles } = toRows(communityId, body);
  return toPolicy(defaultLimits(ctx), row, ofRoles);
}

function toRows(
  communityId: string,
  body: ApprovalPolicyBody,
): { row: ApprovalPolicyRow; ofRoles: RoleApprovalPolicyRow[] } {
  const { quietHours, roles } = body;
  const row: ApprovalPolicyRow = {
    community_id: communityId,
    ...limitColumns(body),
    approvers: body.approvers,
    quiet_from: quietHours === undefined ? null : toMinute(quietHours.from),
    quiet_to: quietHours === undefined ? null : toMinute(quietHours.to),
    quiet_time_zone: quietHours?.timeZone ?? null,
    manual_changes: body.manualChanges ?? null,
  };
  const ofRoles = roles.map(
    (role): RoleApprovalPolicyRow => ({
      community_id: communityId,
      role_id: role.roleId,
      ...limitColumns(role),
      holds_grants: role.approvesGrants,
      manual_changes: role.manualChanges ?? null,
    }),
  );
  return { row, ofRoles };
}

/** Returns a community's own policy, without the operator's defaults, as `putPolicy` takes it. */
export async function readOwnPolicy(db: Sql, communityId: string): Promise<ApprovalPolicyBody> {
  return toBody(await selectPolicy(db, communityId), await selectRolePolicies(db, communityId));
}

interface Limits {
  removalPercent?: number;
  removalCount?: number;
  removalsPerDay?: number;
}

function limitColumns({ removalPercent: percent, removalCount: count, removalsPerDay: perDay }: Limits) {
  return { removal_percent: percent ?? null, removal_count: count ?? null, removals_per_day: perDay ?? null };
}

function limitFields(row: ReturnType<typeof limitColumns> | undefined): Limits {
  return {
    ...(row?.removal_percent != null && { removalPercent: row.removal_percent }),
    ...(row?.removal_count != null && { removalCount: row.removal_count }),
    ...(row?.removals_per_day != null && { removalsPerDay: row.removals_per_day }),
  };
}

function describe(
  ctx: Pick<Context, 'settings'>,
  communityId: string,
  row: ApprovalPolicyRow | undefined,
  roles: readonly RoleApprovalPolicyRow[],
): ApprovalPolicy {
  return { communityId, ...toBody(row, roles), defaults: toFields(defaultLimits(ctx)) };
}

function toBody(row: ApprovalPolicyRow | undefined, roles: readonly RoleApprovalPolicyRow[]): ApprovalPolicyBody {
  const quiet = quietHoursOf(row);
  return {
    ...limitFields(row),
    approvers: row?.approvers ?? 1,
    ...(quiet && { quietHours: { from: toText(quiet.from), to: toText(quiet.to), timeZone: quiet.timeZone } }),
    ...manualField(row),
    roles: roles.map((role) => ({
      roleId: role.role_id,
      ...limitFields(role),
      approvesGrants: role.holds_grants,
      ...manualField(role),
    })),
  };
}

function manualField(row: Pick<ApprovalPolicyRow, 'manual_changes'> | undefined) {
  return row?.manual_changes == null ? {} : { manualChanges: row.manual_changes };
}

function toFields({ share, count, perDay }: RemovalLimits): Required<Limits> {
  return { removalPercent: Math.round(share * 100), removalCount: count, removalsPerDay: perDay };
}

function toMinute(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

function toText(minute: number): string {
  return [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':');
}
