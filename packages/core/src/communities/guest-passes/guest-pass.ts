import { type Enqueueable, enqueue, type Sql, type Tx } from '@latchkey/db';
import {
  AppError,
  addSeconds,
  choice,
  isAble,
  notFound,
  principalId,
  record,
  shape,
  T,
  text,
  type ValueOf,
} from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { refuse } from '../../shared/refuse.ts';
import { readOfCommunity } from '../access/index.ts';
import { refuseBadRoles } from '../community/index.ts';
import { type CommunityRow, getCommunity } from '../community-records/index.ts';
import { refuseLocked } from '../managed-rules/index.ts';
import { enqueueReconcile } from '../reconcile-queue/index.ts';
import {
  endGrants,
  type GuestPassRow,
  insertPass,
  lockPass,
  markDeleted,
  type PassRole,
  putGrant,
  selectPasses,
  selectRunning,
} from './queries.ts';

const Role = record('Role', 'A role of a community.', {
  id: T.Optional(text('The platform’s own id of the role.', { maxLength: 64 })),
  name: T.Optional(text('The name of the role.', { maxLength: 100 })),
  color: T.Optional(T.Number({ description: 'Its color, as an RGB number.' })),
});

const carried = {
  id: T.Optional(text('The id of the pass.', { maxLength: 64 })),
  createdTime: T.Optional(text('When it was created, in ISO 8601 format.')),
  pk: T.Optional(text('The id of the community.')),
  sk: T.Optional(text('The key of the pass within the community.')),
  classifier: T.Optional(text('Always GUESTPASS.')),
  classifierGroup: T.Optional(text('Always GUESTPASS.')),
};

const decided = {
  name: T.Optional(text('The name of the pass.', { minLength: 1, maxLength: 200 })),
  description: T.Optional(text('What it is for.', { maxLength: 2000 })),
  roleSet: T.Optional(T.Array(Role, { description: 'The roles it grants.', maxItems: 50 })),
  platform: T.Optional(text('Always discord.')),
  period: T.Optional(T.Number({ description: 'How long it lasts once it is given to a member, in seconds.' })),
};

export const GuestPassRequest = record(
  'GuestPassRequest',
  'A guest pass to create. It needs a name and at least one role; the server sets ids and times.',
  {
    ...carried,
    ...decided,
    status: T.Optional(choice('Whether it can be given to members. Defaults to active.', ['active', 'inactive'])),
  },
);

export type GuestPassRequest = ValueOf<typeof GuestPassRequest>;

export const GuestPass = record(
  'GuestPass',
  'A pass that grants roles to a guest for a limited time, without any token.',
  {
    ...carried,
    ...decided,
    type: text('The type of rule that requires it: GUESTPASS.'),
    status: text('active or inactive.'),
    scheme: text('The scheme of a rule for this pass: VC.'),
    asset: T.Optional(text('The asset of a rule for this pass.')),
  },
);

export type GuestPass = ValueOf<typeof GuestPass>;

const classifier = 'GUESTPASS';

function toGuestPass(row: GuestPassRow): GuestPass {
  return {
    id: row.id,
    createdTime: row.created_at.toISOString(),
    pk: row.community_id,
    sk: `${classifier}#${row.id}`,
    classifier,
    classifierGroup: classifier,
    name: row.name,
    description: row.description ?? undefined,
    roleSet: row.role_set,
    platform: 'discord',
    type: 'GUESTPASS',
    status: row.status,
    period: row.period_seconds,
    scheme: 'VC',
    asset: 'veramo:collabland/vc:vc',
  };
}

/** How rules refer to a pass: one value for each of its roles. */
function passTrait(communityId: string, passId: string, roleId: string): string {
  return `${communityId}:${passId}:${roleId}`;
}

export const defaultPeriodSeconds = 30 * 24 * 60 * 60;

const longestPeriodSeconds = 10 * 365 * 24 * 60 * 60;

const shortestPeriodSeconds = 60;

/** Refuses a pass with a role that the bot cannot grant, or that has moderation permissions. */
export async function refuseBadPass(
  ctx: Context,
  { guildId, body }: { guildId: string; body: GuestPassRequest },
): Promise<void> {
  const roles = rolesOf(body).map(({ id }, index) => ({ roleId: id, path: `/roleSet/${index}/id` }));
  await refuseBadRoles(ctx, guildId, roles);
}

/** Creates a pass. It has no holders yet. */
export async function createGuestPass(
  ctx: Pick<Context, 'actor' | 'clock' | 'random' | 'tx'>,
  { guildId, body }: { guildId: string; body: GuestPassRequest },
): Promise<GuestPass> {
  return ctx.tx(async (tx) => {
    const community = await getCommunity(tx, guildId);
    await refuseLocked(tx, community.id);
    return toGuestPass(await createPassIn(ctx, tx, community, body));
  });
}

/** The same in an open transaction. */
export async function createPassIn(
  ctx: Pick<Context, 'actor' | 'clock' | 'random'>,
  tx: Tx,
  community: Pick<CommunityRow, 'id' | 'platform'>,
  body: GuestPassRequest,
): Promise<GuestPassRow> {
  if (!isAble(community.platform, 'guestPasses')) throw refuse('/', 'is only available for Discord servers');
  const row: GuestPassRow = {
    id: ctx.random.id(),
    community_id: community.id,
    ...passColumns(body),
    created_by_id: principalId(ctx.actor),
    created_at: ctx.clock(),
    deleted_at: null,
  };
  await insertPass(tx, row);
  return row;
}

/** What a request decides about a pass. Throws if it cannot be a pass. */
export function passColumns(
  body: GuestPassRequest,
): Pick<GuestPassRow, 'name' | 'description' | 'role_set' | 'status' | 'period_seconds'> {
  return {
    name: nameOf(body),
    description: body.description ?? null,
    role_set: rolesOf(body),
    status: body.status ?? 'active',
    period_seconds: periodOf(body),
  };
}

function nameOf({ name }: GuestPassRequest): string {
  if (name === undefined) throw refuse('/name', 'must be the name of the pass');
  return name;
}

function rolesOf({ roleSet = [] }: GuestPassRequest): PassRole[] {
  const roles = roleSet.map(({ id, name, color }) => {
    if (id === undefined || !/^\d{15,20}$/.test(id)) throw refuse('/roleSet', 'must identify each role by its id');
    return { id, ...(name !== undefined && { name }), ...(color !== undefined && { color }) };
  });
  if (roles.length === 0) throw refuse('/roleSet', 'must contain at least one role');
  return roles;
}

function periodOf({ period = defaultPeriodSeconds }: GuestPassRequest): number {
  const isFit = Number.isInteger(period) && period >= shortestPeriodSeconds && period <= longestPeriodSeconds;
  if (!isFit) throw refuse('/period', 'must be a whole number of seconds, from one minute to ten years');
  return period;
}

export async function listGuestPasses(
  ctx: Pick<Context, 'actor' | 'db'>,
  { guildId }: { guildId: string },
): Promise<GuestPass[]> {
  return readOfCommunity(ctx, guildId, async (tx, { id }) => (await selectPasses(tx, id)).map(toGuestPass));
}

/** The guest passes that a member holds now. */
export interface GuestOf {
  /** As rules refer to them: `<community>:<pass>:<role>`. */
  passes: string[];
  /** The roles that these passes grant, whatever the rules say. */
  roleIds: string[];
}

/** The active guest passes of members, by qualified id, but for these passes. Members without any are absent. */
export async function guestsAmong(
  db: Sql,
  communityId: string,
  userIds: readonly string[],
  now: Date,
  without: readonly string[] = [],
): Promise<Map<string, GuestOf>> {
  if (userIds.length === 0) return new Map();
  const rows = (await selectRunning(db, communityId, userIds, now)).filter(
    ({ pass_id: passId }) => !without.includes(passId),
  );
  return new Map(
    [...Map.groupBy(rows, (row) => row.user_id)].map(([userId, grants]) => [
      userId,
      {
        passes: grants.flatMap((grant) =>
          grant.role_ids.map((roleId) => passTrait(communityId, grant.pass_id, roleId)),
        ),
        roleIds: [...new Set(grants.flatMap((grant) => grant.role_ids))],
      },
    ]),
  );
}

export interface IssueGuestPass {
  /** The guild, by its own or its qualified id. */
  guildId: string;
  passId: string;
  /** The qualified id: `DIS#USER#…`. */
  userId: string;
}

/**
 * Gives a pass to a member: its roles are granted immediately and removed when it expires. Giving it again restarts it.
 */
export async function issueGuestPass(
  ctx: Pick<Context, 'actor' | 'clock' | 'random' | 'tx'>,
  { guildId, passId, userId }: IssueGuestPass,
): Promise<{ endsAt: Date }> {
  if (!/^DIS#USER#\d{1,20}$/.test(userId))
    throw new AppError('INVALID_PARAMETER_VALUE', 'Identify the member by an id such as DIS#USER#123.');
  return ctx.tx(async (tx) => {
    const community = await getCommunity(tx, guildId);
    const pass = await lockPass(tx, community.id, passId);
    if (pass === undefined) throw notFound('guest pass');
    if (pass.status !== 'active') throw new AppError('STATE_CONFLICT', 'This guest pass is not active.');
    const issuedAt = ctx.clock();
    const endsAt = addSeconds(issuedAt, pass.period_seconds);
    const grantId = await putGrant(tx, {
      id: ctx.random.id(),
      pass_id: pass.id,
      community_id: community.id,
      user_id: userId,
      role_ids: pass.role_set.map(({ id }) => id),
      issued_by_id: principalId(ctx.actor),
      issued_at: issuedAt,
      ends_at: endsAt,
      ended_at: null,
      applied_at: null,
      problem: null,
    });
    await settle(tx, { id: grantId, community_id: community.id, user_id: userId });
    return { endsAt };
  });
}

/** Queues an update of a grant's roles, and a check of what rules decide by it. */
export async function settle(tx: Tx, grant: { id: string; community_id: string; user_id: string }): Promise<void> {
  await enqueue(tx, applyGrant, { grantId: grant.id });
  await enqueueReconcile(tx, { communityId: grant.community_id, members: [grant.user_id], cause: 'rule' });
}

/** Updates the roles of one grant. The job is implemented where roles are written. */
export const applyGrant: Enqueueable<{ grantId: string }> = {
  name: 'guest-passes.apply',
  payload: shape(T.Object({ grantId: T.String({ maxLength: 64 }) })),
};

/** Ends a pass for every member who has it, and removes the roles it granted. */
export async function removeGuestPass(
  ctx: Pick<Context, 'clock' | 'tx'>,
  { guildId, passId }: { guildId: string; passId: string },
): Promise<void> {
  await ctx.tx(async (tx) => {
    const { id } = await getCommunity(tx, guildId);
    await refuseLocked(tx, id);
    await removePassIn(ctx, tx, id, passId);
  });
}

/** The same in an open transaction. */
export async function removePassIn(
  ctx: Pick<Context, 'clock'>,
  tx: Tx,
  communityId: string,
  passId: string,
): Promise<void> {
  const pass = await lockPass(tx, communityId, passId);
  if (pass === undefined) throw notFound('guest pass');
  const at = ctx.clock();
  await markDeleted(tx, pass.id, at);
  for (const grant of await endGrants(tx, { passId: pass.id, at }, Number.MAX_SAFE_INTEGER)) await settle(tx, grant);
}
