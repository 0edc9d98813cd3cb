import {
  type Access,
  AppError,
  chatHomeOf,
  choice,
  notFound,
  op,
  type Page,
  pageOf,
  pageParams,
  platformNames,
  principalId,
  record,
  T,
  text,
  type ValueOf,
} from '@latchkey/kernel';
import { readRecentRoles } from '../../communities/community/index.ts';
import {
  type CommunityRow,
  selectCommunitiesOfMember,
  selectCommunity,
} from '../../communities/community-records/index.ts';
import { type MemberRow, selectMembers } from '../../communities/memberships/index.ts';
import { pictureAddresses, withPicture } from '../../communities/pictures/index.ts';
import { enqueueReconcile, isQueued } from '../../communities/reconcile-queue/index.ts';
import { selectRules } from '../../communities/rule-records/index.ts';
import {
  assetsOf,
  conditionsOf,
  openRules,
  type RoleVerdict,
  type RuleConditions,
  reasonInWords,
} from '../../gating/evaluation/index.ts';
import { tokenLink } from '../../gating/naming/index.ts';
import {
  countOwnChanges,
  type ReconciledMember,
  RoleSteps,
  readRoleSteps,
  reconcileNow,
  suppressedRolesOf,
} from '../../gating/role-changes/index.ts';
import { selectRuleHealth } from '../../gating/rule-health/index.ts';
import { communityIdField } from '../../shared/community-id.ts';
import { type Context, contextFor } from '../../shared/context.ts';
import { messagesIn } from '../../shared/messages/index.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import { nativeUserId } from '../../shared/qualified-ids.ts';
import { isShownToMember, readNames } from '../bot-replies/index.ts';
import { readOpenedPlaces } from './opened-places.ts';
import { MyRoles } from './shapes.ts';

const count = (description: string) => T.Number({ description, minimum: 0 });

export const MyRoleCheck = record('MyRoleCheck', 'How far a check of your roles has come.', {
  isWaiting: T.Boolean({ description: 'Whether the check is still to be made.' }),
  waiting: count('How many of your roles wait to be written.'),
  held: count('How many of your roles wait for an admin’s approval.'),
  given: count('How many roles you were given since `since`.'),
  taken: count('How many roles were removed since `since`.'),
  failed: count('How many changes the chat platform has refused since `since`.'),
  since: text('From when on changes are counted, in ISO 8601.'),
});
export type MyRoleCheck = ValueOf<typeof MyRoleCheck>;

const Membership = record('Membership', 'A community that you are in.', {
  communityId: text('The qualified id of the community, for example DIS#COMM#123.'),
  name: text('The name of the community.'),
  picture: T.Optional(text('The path on this server where its picture is; absent if it has none.')),
  platform: choice('The chat platform.', platformNames),
});
type Membership = ValueOf<typeof Membership>;

/** Returns the communities that the caller is in, with the fields that lists show. */
export async function listMemberships(
  ctx: Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'random'>,
  request: PageRequest,
): Promise<Page<Membership>> {
  const db = ctx.db.system;
  const userId = principalId(ctx.actor);
  const page = await paginate(ctx, request, {
    list: 'memberships',
    read: (after, limit) => selectCommunitiesOfMember(db, userId, limit, { after: after?.[0] }),
    cursorOf: ({ id }) => [id],
  });
  const pictures = await pictureAddresses(
    db,
    page.items.map(({ id }) => id),
  );
  return {
    ...page,
    items: page.items.map(({ id, name, platform }) => ({
      communityId: id,
      name,
      ...withPicture(pictures, id),
      platform,
    })),
  };
}

/** For the person, or an application that may read their communities; not for the operator on their behalf. */
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
        'Starts a background check of the signed-in user’s roles in a community and applies the changes. Starting it again before it runs does not add a second check. Follow its progress with the GET of the same path. Where the chat platform does not list all members, as on Reddit, this also makes the user known as one.',
      audit: 'roles.check',
      access: { ...access, scopes: ['user:wallet:write'] },
      params: { communityId: community },
      returns: MyRoleCheck,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'UNAVAILABLE'],
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
  op(
    'GET /latchkey/account/communities/{communityId}/role-steps',
    {
      id: 'getMyRoleSteps',
      summary: 'Show your role progress',
      description:
        'Returns how far the signed-in person’s roles in a community have come: wallet linked, checked at which block, role written, and seen on the chat platform. Each step has its time, or the reason why it waits. Reads only what was recorded; nothing is checked or changed.',
      access,
      params: { communityId: community },
      returns: RoleSteps,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT'],
    },
    getMyRoleSteps,
  ),
] as const;

type CheckContext = Pick<Context, 'actor' | 'clock' | 'db'>;

/**
 * Starts a check of the caller's own roles that also writes them. Requests before it runs are merged into one check. Where the
 * platform does not list all members, those it leaves out become known by asking.
 */
export async function startMyRoleCheck(ctx: Context, { communityId }: { communityId: string }): Promise<MyRoleCheck> {
  await askWhetherMember(ctx, communityId);
  const { community, userId } = await ownMembership(ctx, communityId);
  const since = ctx.clock();
  await ctx.db.transaction('system', (tx) =>
    // With the cause of a wallet change, so that suppressions from an admin's undo stay in effect.
    enqueueReconcile(tx, { communityId: community.id, members: [userId], cause: 'wallet' }),
  );
  return progress(ctx, { communityId: community.id, userId, since });
}

/** Reads the caller from a platform that does not list everyone, unless they are known. */
async function askWhetherMember(ctx: Context, communityId: string): Promise<void> {
  const userId = principalId(ctx.actor);
  const community = await selectCommunity(ctx.db.system, communityId);
  if (community?.status !== 'active' || ctx.hosts[community.platform]?.listsEveryone !== false) return;
  const [known] = await selectMembers(ctx.db.system, community.id, [userId]);
  if (known !== undefined || nativeUserId(community.platform, userId) === undefined) return;
  const system = contextFor(ctx, { kind: 'system', job: 'my-roles' });
  await reconcileNow(system, community, [userId], { liftSuppressions: false });
}

export async function getMyRoleCheck(
  ctx: CheckContext,
  { communityId, since }: { communityId: string; since?: string | undefined },
): Promise<MyRoleCheck> {
  const { community, userId } = await ownMembership(ctx, communityId);
  return progress(ctx, { communityId: community.id, userId, since: momentOf(ctx, since) });
}

/** How far the caller's roles have come. A role that only hidden rules give is left out until the caller has it. */
export async function getMyRoleSteps(ctx: Context, { communityId }: { communityId: string }): Promise<RoleSteps> {
  const { community, member } = await ownMembership(ctx, communityId);
  const rules = await selectRules(ctx.db.system, community.id);
  const byRole = Map.groupBy(rules, ({ role_id }) => role_id);
  const steps = await readRoleSteps(ctx, community, member, {
    isAdmin: false,
    isShown: (roleId) =>
      member.role_ids.includes(roleId) ||
      byRole.get(roleId)?.every(({ visibility }) => visibility === 'hidden') !== true,
  });
  // A chain that only concealed rules read would say something about them.
  const open = openRules(rules.filter(({ visibility }) => visibility === 'public'));
  const chains = new Set(assetsOf(open).map(({ chain }) => chain));
  return { ...steps, blocks: steps.blocks.filter(({ chain }) => chains.has(chain)) };
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

/**
 * Returns which roles the caller has and could have in a community, with the conditions. Reads wallets and the platform
 * now.
 */
export async function getMyRoles(ctx: Context, { communityId }: { communityId: string }): Promise<MyRoles> {
  const { community, userId } = await ownMembership(ctx, communityId);
  // Only admins may read rules, but every member may know the result of theirs.
  const system = contextFor(ctx, { kind: 'system', job: 'my-roles' });
  const [member] = (await reconcileNow(system, community, [userId], { liftSuppressions: true })).members;
  if (member === undefined) throw notFound('membership; you are not in this community');
  const roles = await describeRoles(system, community, userId, { member, locale: ctx.locale });
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
}

/** Describes the roles of a person to that person: those that only hidden rules give are left out until the person has them. */
export async function describeRoles(
  system: Context,
  community: CommunityRow,
  userId: string,
  { member, locale }: { member: Pick<ReconciledMember, 'roleIds' | 'verdicts'>; locale: Context['locale'] },
): Promise<Role[]> {
  const ruleIds = member.verdicts.flatMap(({ reason }) => reason.rules.map(({ id }) => id));
  const [names, suppressed, platformRoles, opened, health] = await Promise.all([
    readNames(system, community, [userId], { asks: true, t: messagesIn(locale) }),
    suppressedRolesOf(system.db.system, community.id, userId),
    readRecentRoles(system, community),
    readOpenedPlaces(system, community),
    selectRuleHealth(system.db.system, community.id, ruleIds),
  ]);
  return member.verdicts.filter((verdict) => isShownToMember(member, verdict, names)).map(describeRole);

  function describeRole({ roleId, truth, reason }: RoleVerdict): Role {
    const has = member.roleIds.includes(roleId);
    const color = platformRoles.get(roleId)?.color;
    return {
      roleId,
      name: names.role(roleId),
      ...(color !== undefined && { color }),
      opens: opened.get(roleId) ?? [],
      has,
      state: stateOf(truth, has),
      isSuppressed: suppressed.has(roleId),
      words: reasonInWords(reason, names, 'self'),
      paths: conditionsOf(reason, names).map(describePath),
    };
  }

  function describePath({ ruleId = '', lines, ...path }: RuleConditions): Role['paths'][number] {
    const sinceTime = health.get(ruleId)?.unknown_since?.toISOString();
    return {
      ...path,
      lines: lines.map(({ asset, ...line }) => {
        const link = asset === undefined ? undefined : tokenLink(asset);
        return {
          ...line,
          ...(line.state === 'unknown' && sinceTime !== undefined && { sinceTime }),
          ...(link !== undefined && { link }),
        };
      }),
    };
  }
}

function stateOf(truth: RoleVerdict['truth'], has: boolean): Role['state'] {
  if (truth === 'unknown') return has ? 'kept' : 'unknown';
  if (truth === 'true') return has ? 'kept' : 'coming';
  return has ? 'going' : 'missing';
}

/** Returns the community if the caller is in it. For any other caller it is not found. */
async function ownMembership(
  ctx: Pick<Context, 'actor' | 'db'>,
  communityId: string,
): Promise<{ community: CommunityRow; userId: string; member: MemberRow }> {
  const userId = principalId(ctx.actor);
  const [member] = await selectMembers(ctx.db.system, communityId, [userId]);
  const community = member?.left_at === null ? await selectCommunity(ctx.db.system, communityId) : undefined;
  if (member === undefined || community === undefined) throw notFound('community');
  if (community.status !== 'active')
    throw new AppError('STATE_CONFLICT', `Roles in ${community.name} are not being managed right now.`);
  return { community, userId, member };
}
