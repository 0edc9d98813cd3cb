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
import {
  type CommunityRow,
  selectCommunitiesOfMember,
  selectCommunity,
} from '../../communities/community-records/index.ts';
import { selectMembers } from '../../communities/memberships/index.ts';
import { pictureAddresses, withPicture } from '../../communities/pictures/index.ts';
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
import { messagesIn } from '../../shared/messages/index.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import { isShownToMember, readNames } from '../bot-replies/index.ts';

const RoleCondition = record('RoleCondition', 'One condition of a rule, and what was found of you.', {
  state: choice(
    'met. not-met: what you have is not enough. no-account: nothing that you have linked could meet it. unknown: it could not be read, so nothing changes.',
    ['met', 'not-met', 'no-account', 'unknown'] as const,
  ),
  need: text('What it needs, in words.', { maxLength: 4096 }),
  found: T.Optional(text('What was found, as a sentence.', { maxLength: 4096 })),
  account: T.Optional(text('The kind of account to link: evm, solana, twitter and so on.')),
});

const RolePath = record('RoleWay', 'One rule that gives a role. Any rule that is met is enough.', {
  name: T.Optional(text('What the rule is called.', { maxLength: 256 })),
  state: choice('Whether the rule is met.', ['met', 'not-met', 'unknown'] as const),
  need: T.Optional(text('All that the rule needs, in words.', { maxLength: 20_000 })),
  conditions: T.Array(RoleCondition, { description: 'Its conditions, one by one.', maxItems: 1000 }),
});

const MyRole = record('MyRole', 'A role that you have or could have.', {
  roleId: text('The id of the role on the platform.'),
  name: text('What the role is called.', { maxLength: 256 }),
  has: T.Boolean({ description: 'Whether you have it now.' }),
  state: choice(
    'kept: you have it. coming: you qualify and get it at the next check. going: you have it but no longer qualify. missing: you do not qualify. unknown: something could not be read, so nothing changes.',
    ['kept', 'coming', 'going', 'missing', 'unknown'] as const,
  ),
  isSuppressed: T.Boolean({ description: 'Whether an admin undid a change of it, so that checks leave it alone.' }),
  words: T.Array(text('A sentence.', { maxLength: 20_000 }), {
    description: 'Why, in sentences.',
    maxItems: 20,
  }),
  paths: T.Array(RolePath, { description: 'The rules that give it.', maxItems: 1000 }),
});

export const MyRoles = record('MyRoles', 'Your current roles in one community.', {
  communityId: text('The qualified id of the community.'),
  communityName: text('What the community is called.', { maxLength: 256 }),
  platform: choice('The chat platform.', platformNames),
  link: T.Optional(text('Where the community is reached.', { maxLength: 2048 })),
  wallets: T.Number({ description: 'How many linked wallets count in this community.', minimum: 0 }),
  conditions: T.Number({ description: 'How many conditions were checked.', minimum: 0 }),
  conditionsMet: T.Number({ description: 'How many of them are met.', minimum: 0 }),
  roles: T.Array(MyRole, { description: 'The roles that rules give here.', maxItems: 1000 }),
});
export type MyRoles = ValueOf<typeof MyRoles>;

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
  name: text('What people call it.'),
  picture: T.Optional(text('The path on this server where its picture is; absent if it has none.')),
  platform: choice('The chat platform.', platformNames),
});
type Membership = ValueOf<typeof Membership>;

/** The communities that the caller is in, as lists show them. */
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
    readNames(system, community, [userId], { asks: true, t: messagesIn(ctx.locale) }),
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
