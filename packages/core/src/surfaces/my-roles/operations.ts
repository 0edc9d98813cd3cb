import {
  type Access,
  AppError,
  chatHomeOf,
  notFound,
  op,
  pageOf,
  pageParams,
  principalId,
  T,
  text,
} from '@latchkey/kernel';
import { type CommunityRow, selectCommunity } from '../../communities/community-records/index.ts';
import { selectMembers } from '../../communities/memberships/index.ts';
import { enqueueReconcile, isQueued } from '../../communities/reconcile-queue/index.ts';
import { conditionsOf, type RoleVerdict, reasonInWords } from '../../gating/evaluation/index.ts';
import {
  countOwnChanges,
  type ReconciledMember,
  reconcileNow,
  suppressedRolesOf,
} from '../../gating/role-changes/index.ts';
import { communityIdField } from '../../shared/community-id.ts';
import { type Context, contextFor } from '../../shared/context.ts';
import { isShownToMember, readNames } from '../bot-replies/index.ts';
import { listMemberships, Membership } from './memberships.ts';
import { MyRoleCheck, MyRoles } from './my-roles.ts';

/** The person, or an application that may read their communities; not the operator in their place. */
const access: Access = { roles: ['$user_account'], scopes: ['user:community:read'] };
const community = communityIdField('The qualified id of the community, for example DIS#COMM#123.');

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
      params: { communityId: community },
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
        'Starts a background check of the signed-in user’s roles in a community and applies the changes. Starting it again before it runs does not add a second check. Follow its progress with the GET of the same path.',
      audit: 'roles.check',
      access: { ...access, scopes: ['user:wallet:write'] },
      params: { communityId: community },
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
        'Returns whether a check of the signed-in user’s roles is still pending, and how many changes are pending, applied or failed since a given time.',
      access,
      params: {
        communityId: community,
        since: T.Optional(text('Count changes from then on, in ISO 8601. Defaults to now.', { maxLength: 40 })),
      },
      returns: MyRoleCheck,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'INVALID_PARAMETER_VALUE'],
    },
    getMyRoleCheck,
  ),
] as const;

type CheckContext = Pick<Context, 'actor' | 'clock' | 'db'>;

/** Has the caller's own roles checked and written. Asked again before it has run, it stays one check. */
export async function startMyRoleCheck(
  ctx: CheckContext,
  { communityId }: { communityId: string },
): Promise<MyRoleCheck> {
  const { community, userId } = await ownMembership(ctx, communityId);
  const since = ctx.clock();
  await ctx.db.transaction('system', (tx) =>
    // As after a change of the wallets, so that the pauses which an admin's undo left stay.
    enqueueReconcile(tx, { communityId: community.id, members: [userId], cause: 'wallet' }),
  );
  return progress(ctx, { communityId: community.id, userId, since });
}

export async function getMyRoleCheck(
  ctx: CheckContext,
  { communityId, since }: { communityId: string; since?: string | undefined },
): Promise<MyRoleCheck> {
  const { community, userId } = await ownMembership(ctx, communityId);
  return progress(ctx, { communityId: community.id, userId, since: momentOf(ctx, since) });
}

async function progress(
  ctx: CheckContext,
  { communityId, userId, since }: { communityId: string; userId: string; since: Date },
): Promise<MyRoleCheck> {
  const [isWaiting, changes] = await Promise.all([
    isQueued(ctx.db.system, communityId, userId, ctx.clock()),
    countOwnChanges(ctx.db.system, { communityId, userId, since }),
  ]);
  return { isWaiting, ...changes, since: since.toISOString() };
}

function momentOf({ clock }: Pick<Context, 'clock'>, text: string | undefined): Date {
  if (text === undefined) return clock();
  const moment = new Date(text);
  if (/^\d{4}-\d\d-\d\dT/.test(text) && Number.isFinite(moment.getTime())) return moment;
  throw new AppError(
    'INVALID_PARAMETER_VALUE',
    'The parameter since must be a time in ISO 8601, for example 2026-01-15T12:00:00Z.',
  );
}

type Role = MyRoles['roles'][number];

/** Which roles the caller has and could have in a community, by which conditions. Reads wallets and the platform now. */
export async function getMyRoles(ctx: Context, { communityId }: { communityId: string }): Promise<MyRoles> {
  const { community, userId } = await ownMembership(ctx, communityId);
  // Rules are their admins' to read; what they say of the caller is the caller's.
  const system = contextFor(ctx, { kind: 'system', job: 'my-roles' });
  const [member] = (await reconcileNow(system, community, [userId], { liftSuppressions: true })).members;
  if (member === undefined) throw notFound('membership; you are not in this community');
  const [names, suppressed] = await Promise.all([
    readNames(system, community, [userId], { asks: true }),
    suppressedRolesOf(ctx.db.system, community.id, userId),
  ]);
  const shown = member.verdicts.filter((verdict) => isShownToMember(member, verdict, names));
  const roles = shown.map((verdict) => describeRole(member, verdict));
  const conditions = roles.flatMap(({ paths }) => paths.flatMap((path) => path.conditions));
  const link = chatHomeOf(community.platform, community.community_id);
  return {
    communityId: community.id,
    communityName: community.name,
    platform: community.platform,
    ...(link !== undefined && { link }),
    wallets: member.wallets.length,
    conditions: conditions.length,
    conditionsMet: conditions.filter(({ state }) => state === 'met').length,
    roles,
  };

  function describeRole({ roleIds }: ReconciledMember, { roleId, truth, reason }: RoleVerdict): Role {
    const has = roleIds.includes(roleId);
    return {
      roleId,
      name: names.role(roleId),
      has,
      state: stateOf(truth, has),
      isSuppressed: suppressed.has(roleId),
      words: reasonInWords(reason, names, 'self'),
      paths: conditionsOf(reason, names),
    };
  }
}

function stateOf(truth: RoleVerdict['truth'], has: boolean): Role['state'] {
  if (truth === 'unknown') return has ? 'kept' : 'unknown';
  if (truth === 'true') return has ? 'kept' : 'coming';
  return has ? 'going' : 'missing';
}

/** The community, if the caller is in it. To everyone else there is none. */
async function ownMembership(
  ctx: Pick<Context, 'actor' | 'db'>,
  communityId: string,
): Promise<{ community: CommunityRow; userId: string }> {
  const userId = principalId(ctx.actor);
  const [member] = await selectMembers(ctx.db.system, communityId, [userId]);
  const community = member?.left_at === null ? await selectCommunity(ctx.db.system, communityId) : undefined;
  if (community === undefined) throw notFound('community');
  if (community.status !== 'active')
    throw new AppError('STATE_CONFLICT', `Roles in ${community.name} are not being managed right now.`);
  return { community, userId };
}
