import {
  type Actor,
  AppError,
  addSeconds,
  app,
  isObject,
  notFound,
  OpenObject,
  op,
  principalId,
  resource,
} from '@latchkey/kernel';
import { isInternal } from '../../communities/access/index.ts';
import { readPlatformRoles } from '../../communities/community/index.ts';
import { requireFeature } from '../../communities/community-plans/index.ts';
import type { CommunityRow } from '../../communities/community-records/index.ts';
import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import { type CommunityRuleRow, selectRules } from '../../communities/rule-records/index.ts';
import type { Context } from '../../shared/context.ts';
import { inParallel } from '../../shared/in-parallel.ts';
import { nativeUserId } from '../../shared/qualified-ids.ts';
import type { RoleReason } from '../evaluation/index.ts';
import { applyNow, type ReconciledMember, reconcileNow, reconcilePage, wakeLater } from '../role-changes/index.ts';
import { hideAddresses, type Reason } from '../rules/index.ts';
import {
  CheckCommunityRolesResponse,
  CheckUserRolesResponse,
  CommunityRoleCheckRequest,
  mostResults,
  RoleCheckRequest,
  roleParams,
  type TokenGrantedRole,
  UpdateUserRolesResponse,
  type UserRoleAssignments,
} from './role-check.ts';
import { checksAtOnce, findTargets, managedCommunity, qualify, requireMember } from './targets.ts';

type Results = NonNullable<CheckUserRolesResponse['results']>;

/** Evaluates the roles of every member, page by page, or of one, without changing anything. */
export async function checkCommunityRoles(
  ctx: Context,
  { body }: { body: CommunityRoleCheckRequest },
): Promise<CheckCommunityRolesResponse> {
  const { communityId, userId = '*', limit = mostResults, paginationToken } = body;
  const community = await managedCommunity(ctx, communityId);
  if (userId !== '*') {
    const results = await check(ctx, community, [qualify(community, userId)], true);
    return { communityId, userId, results };
  }
  const { items, ...page } = await reconcilePage(ctx, community, { limit, paginationToken });
  const results = noteNext(await describe(ctx, community, items), page.paginationToken);
  return { communityId, userId, results, ...page };
}

/** Evaluates the roles of one member, without changing anything. */
export async function checkUserRoles(
  ctx: Context,
  { body: { communityId, userId } }: { body: RoleCheckRequest },
): Promise<CheckUserRolesResponse> {
  if (userId === '*') {
    const message = 'must name one member; use check-community-roles to check every member';
    throw new AppError('VALIDATION_FAILED', `userId ${message}.`, {
      details: [{ path: '/userId', code: 'pattern', message }],
    });
  }
  return checkUserRolesByQuery(ctx, { communityId, userId });
}

/** Evaluates the roles of one member, in one community or in all that the caller has access to. */
export async function checkUserRolesByQuery(
  ctx: Context,
  { communityId, userId }: { communityId?: string | undefined; userId?: string | undefined },
): Promise<CheckUserRolesResponse> {
  const targets = await findTargets(ctx, { communityId, userId });
  const checked = await inParallel(targets, checksAtOnce, (target) =>
    check(ctx, target.community, [target.userId], target.isManager),
  );
  const results = checked.flat();
  if (results.length === 0) throw notFound('member');
  return { communityId, userId, results };
}

async function check(
  ctx: Context,
  community: CommunityRow,
  userIds: readonly string[],
  liftSuppressions: boolean,
): Promise<Results> {
  const { members } = await reconcileNow(ctx, community, userIds, { liftSuppressions });
  return describe(ctx, community, members);
}

/** The results of members, those with differing roles first. */
async function describe(ctx: Context, community: CommunityRow, members: readonly ReconciledMember[]): Promise<Results> {
  const frame = await readFrame(ctx, community);
  const results = members.map((member) =>
    toAssignments(frame, member, showsAddressesOf(ctx.actor, member.row.user_id)),
  );
  return results.toSorted((a, b) => Number(a.consistent) - Number(b.consistent));
}

/** Clients that do not support pages still read errors, so the last result says that there are more. */
function noteNext(results: Results, paginationToken: string | undefined): Results {
  const last = results.at(-1);
  if (paginationToken === undefined || last === undefined) return results;
  const note = 'More members follow. Send the paginationToken of this response to check the next ones.';
  return [...results.slice(0, -1), { ...last, errors: noteCuts(last.errors ?? [], [note]) }];
}

// Members prove wallets to this server, not to the admins of their communities.
function showsAddressesOf(actor: Actor, userId: string): boolean {
  if (actor.kind === 'user') return actor.userId === userId;
  return actor.kind === 'client' ? isInternal(actor) : actor.kind !== 'anonymous';
}

async function readFrame(ctx: Context, community: CommunityRow): Promise<Frame> {
  const rules = await selectRules(ctx.db.system, community.id);
  return { community, rules, roles: rules.length === 0 ? new Map() : await readPlatformRoles(ctx, community) };
}

/** What all members of a response share. */
interface Frame {
  community: CommunityRow;
  rules: readonly CommunityRuleRow[];
  roles: ReadonlyMap<string, { name: string }>;
}

/** The maximum that the schema of each list allows. */
const most = { errors: 200, accounts: 200, assets: 1_000, roles: 200 };

/** Converts one member's check to the API's form. Without addresses, a wallet is shown by its namespace only. */
function toAssignments(
  { community, rules, roles }: Frame,
  member: ReconciledMember,
  showsAddresses: boolean,
): UserRoleAssignments {
  const { row, verdicts, wallets } = member;
  const failed = verdicts.filter(({ truth }) => truth === 'unknown');
  const differing = verdicts.filter(
    ({ truth, roleId }) => truth !== 'unknown' && (truth === 'true') !== row.role_ids.includes(roleId),
  );
  const results = verdicts
    .flatMap(({ reason }) => reason.rules)
    .map(({ id, truth, reason }) => ({ id, truth, reason: showsAddresses ? reason : reason && hideAddresses(reason) }));
  const cuts: string[] = [];
  const fit = <Item>(items: readonly Item[], limit: number, what: string): Item[] => {
    if (items.length > limit) cuts.push(describeCut(limit, items.length, what));
    return items.slice(0, limit);
  };
  const lists = {
    rolesFailed: fit(
      failed.map(({ roleId }) => roleId),
      most.roles,
      'roles that could not be evaluated',
    ),
    accounts: fit(
      wallets.map(({ namespace, address }) => (showsAddresses ? `${namespace}:${address}` : namespace)),
      most.accounts,
      'accounts',
    ),
    assets: fit(
      results.flatMap(({ reason }) => (reason === undefined ? [] : readingsOf(reason))),
      most.assets,
      'readings',
    ),
    currentRoles: fit(row.role_ids, most.roles, 'current roles'),
  };
  const problems = [...new Set(failed.flatMap(({ reason }) => problemsOf(reason)))];
  return {
    consistent: differing.length === 0,
    user: infoOf(community, row.user_id),
    roles: verdicts.map(({ roleId, truth }) => ({
      id: roleId,
      name: roles.get(roleId)?.name,
      current: row.role_ids.includes(roleId),
      expected: truth === 'unknown' ? undefined : truth === 'true',
    })),
    ...lists,
    errors: noteCuts(problems, cuts),
    rules: rules.map((rule) => toRule(community, rule)),
    rolesToApply: {
      add: differing.filter(({ truth }) => truth === 'true').map(({ roleId }) => roleId),
      remove: differing.filter(({ truth }) => truth === 'false').map(({ roleId }) => roleId),
    },
    resultsByRule: Object.fromEntries(
      results.map(({ id, truth, reason }) => [id, { granted: truth === 'unknown' ? null : truth === 'true', reason }]),
    ),
  };
}

/** Says that a list in a response is truncated. */
function describeCut(listed: number, all: number, what: string): string {
  return `Only ${listed.toLocaleString('en')} of ${all.toLocaleString('en')} ${what} are listed.`;
}

/** Describes what could not be determined, followed by notes on truncated lists. */
function noteCuts(problems: readonly string[], cuts: readonly string[]): string[] {
  return [...problems.slice(0, most.errors - cuts.length), ...cuts];
}

function infoOf(community: CommunityRow, userId: string): NonNullable<UserRoleAssignments['user']> {
  const { serverImage } = community.profile;
  return {
    communityId: community.id,
    userId,
    memberId: nativeUserId(community.platform, userId),
    guildId: community.community_id,
    communityName: community.name,
    communityIcon: typeof serverImage === 'string' ? serverImage : undefined,
  };
}

function problemsOf({ rules, compositions }: RoleReason): string[] {
  const problems = rules.flatMap(({ problem, reason }) => problem ?? (reason === undefined ? [] : notesOf(reason)));
  return problems.length > 0 || compositions === undefined
    ? problems
    : ['The roles that this role depends on could not be evaluated.'];
}

function notesOf(reason: Reason): string[] {
  if (reason.truth !== 'unknown') return [];
  if (reason.kind !== 'leaf') return reason.parts.flatMap(notesOf);
  return [reason.note, ...reason.readings.map(({ note }) => note)].filter((note) => note !== undefined);
}

function readingsOf(reason: Reason): Record<string, unknown>[] {
  if (reason.kind !== 'leaf') return reason.parts.flatMap(readingsOf);
  return reason.readings.map(({ wallet, vault, chain, block, value }) => ({
    asset: reason.asset,
    account: vault ?? wallet,
    chain,
    block,
    balance: value,
  }));
}

function toRule(community: CommunityRow, { id, role_id, definition, created_at }: CommunityRuleRow): TokenGrantedRole {
  const textOf = (field: string) => (typeof definition[field] === 'string' ? String(definition[field]) : undefined);
  const { variables, requiresMetadata } = definition;
  return {
    id,
    createdTime: created_at.toISOString(),
    pk: community.id,
    sk: id,
    classifier: 'TPC',
    classifierGroup: 'TPC',
    name: textOf('name'),
    description: textOf('description'),
    scheme: textOf('scheme') ?? textOf('type'),
    roleId: role_id,
    asset: textOf('asset'),
    query: textOf('query'),
    variables: isObject(variables) ? variables : undefined,
    requiresMetadata: typeof requiresMetadata === 'boolean' ? requiresMetadata : undefined,
  };
}

const longestDelaySeconds = 24 * 60 * 60;

/**
 * Schedules a check of members that also writes their roles, immediately or after a delay. Requests before it starts
 * are merged into one check.
 */
export async function scheduleRoleCheck(
  ctx: Context,
  { body: { communityId, userId = '*', delay = 0 } }: { body: RoleCheckRequest },
): Promise<Record<string, unknown>> {
  const community = await managedCommunity(ctx, communityId);
  await requireFeature(ctx, community.id, 'ON_DEMAND_BALANCE_CHECK');
  const members = userId === '*' ? ('*' as const) : [qualify(community, userId)];
  if (members !== '*') await requireMember(ctx, community, members[0] ?? '');
  const delaySeconds = Math.min(delay, longestDelaySeconds);
  const dueAt = addSeconds(ctx.clock(), delaySeconds);
  await ctx.db.transaction('system', async (tx) => {
    const due = delaySeconds > 0 ? { dueAt } : {};
    await enqueueReconcile(tx, { communityId: community.id, members, cause: 'requested', ...due });
    if (delaySeconds > 0) await wakeLater(tx, community.id, delaySeconds);
  });
  return { communityId, userId, delay: delaySeconds, dueAt: dueAt.toISOString() };
}

const manager = app('role-manager', '$internal');

export const roleManager = resource('role-manager', 'Check, schedule and apply members’ roles.', [
  op(
    'POST /role-manager/check-community-roles',
    {
      id: 'checkCommunityRoles',
      sdk: 'RoleManagerController.checkCommunityRoles',
      summary: 'Compare roles across a community',
      description:
        'Evaluates the rules for every member and compares the result with the roles they have. Changes nothing. Members are checked in pages, ordered by id. The page size defaults to 1,000, and `limit` can lower it; members whose roles differ come first on each page. If there are more, the response has a `paginationToken`: send it in the next request. For community admins, and for client applications that one of them created.',
      access: manager,
      body: CommunityRoleCheckRequest,
      returns: CheckCommunityRolesResponse,
      errors: ['ENTITY_NOT_FOUND', 'INVALID_PAGINATION_TOKEN', 'STATE_CONFLICT', 'UNAVAILABLE'],
    },
    checkCommunityRoles,
  ),
  op(
    'POST /role-manager/check-user-roles',
    {
      id: 'checkUserRoles',
      sdk: 'RoleManagerController.checkUserRoles',
      summary: 'Compare the roles of one member',
      description:
        'Evaluates the rules for one member and compares the result with the roles they have, with the reason for each. Changes nothing. Members can check themselves; userId defaults to the caller.',
      access: manager,
      body: RoleCheckRequest,
      returns: CheckUserRolesResponse,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'UNAVAILABLE'],
    },
    checkUserRoles,
  ),
  op(
    'POST /role-manager/schedule',
    {
      id: 'scheduleRoleCheck',
      sdk: 'RoleManagerController.schedule',
      summary: 'Check roles in the background',
      description:
        'Checks one member, or every member, in the background and applies their roles, immediately or after a delay in seconds of up to a day. Calling it again before that keeps one check at the earlier time. Also ends pauses left by an undo. Rejects members that neither this server nor the platform knows.',
      access: manager,
      body: RoleCheckRequest,
      returns: OpenObject,
      errors: ['ENTITY_NOT_FOUND', 'PLAN_LIMIT_REACHED'],
    },
    scheduleRoleCheck,
  ),
  op(
    'POST /role-manager/roles',
    {
      id: 'applyRoles',
      sdk: 'RoleManagerController.applyRoles',
      summary: 'Apply a member’s roles',
      description:
        'Checks one member, applies the changes, and returns the roles the member has afterwards. Without a communityId, covers every community the caller has access to, up to 100. userId defaults to the caller.',
      access: manager,
      params: roleParams,
      returns: UpdateUserRolesResponse,
      errors: ['ENTITY_NOT_FOUND', 'PLAN_LIMIT_REACHED', 'STATE_CONFLICT', 'VALIDATION_FAILED', 'UNAVAILABLE'],
    },
    applyRoles,
  ),
  op(
    'GET /role-manager/roles',
    {
      id: 'checkUserRolesByQuery',
      sdk: 'RoleManagerController.checkRoles',
      summary: 'Compare one member’s roles by query',
      description:
        'Checks one member, as POST does, with the member in the query. Without a communityId, covers every community the caller has access to, up to 100.',
      access: manager,
      params: roleParams,
      returns: CheckUserRolesResponse,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'VALIDATION_FAILED', 'UNAVAILABLE'],
    },
    checkUserRolesByQuery,
  ),
]);

/** Checks one member and writes the changes, in one community or in all that the caller has access to. */
export async function applyRoles(
  ctx: Context,
  { communityId, userId }: { communityId?: string | undefined; userId?: string | undefined },
): Promise<UpdateUserRolesResponse> {
  const targets = await findTargets(ctx, { communityId, userId });
  const applied = await inParallel(targets, checksAtOnce, async ({ community, userId: member, isManager }) => {
    // Members may always check their own roles; checking others on demand needs a plan that includes it.
    if (principalId(ctx.actor) !== member) await requireFeature(ctx, community.id, 'ON_DEMAND_BALANCE_CHECK');
    const held = await applyNow(ctx, community, member, { liftSuppressions: isManager });
    return held === undefined ? [] : [{ communityId: community.community_id, roles: [...held] }];
  });
  const roles = applied.flat();
  if (roles.length === 0) throw notFound('member');
  return { userId: targets[0]?.userId, roles };
}
