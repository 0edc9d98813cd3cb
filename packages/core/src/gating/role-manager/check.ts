import { type Actor, AppError, notFound } from '@latchkey/kernel';
import { type CommunityRow, isInternal, readPlatformRoles, selectRules } from '../../communities/communities/index.ts';
import type { Context } from '../../context.ts';
import { inParallel } from '../../in-parallel.ts';
import { lookNow } from '../role-plans/index.ts';
import type { CheckUserRolesResponse, RoleCheckRequest } from './role-check.ts';
import { findTargets, looksAtOnce, managedCommunity, qualify } from './targets.ts';
import { describeCut, type Frame, noteCuts, toAssignments } from './to-assignments.ts';

const mostResults = 1_000;

type Results = NonNullable<CheckUserRolesResponse['results']>;

/** Decides the roles of every member, or of one, and changes nothing. */
export async function checkCommunityRoles(
  ctx: Context,
  { body: { communityId, userId = '*' } }: { body: RoleCheckRequest },
): Promise<CheckUserRolesResponse> {
  const community = await managedCommunity(ctx, communityId);
  const members = userId === '*' ? ('*' as const) : [qualify(community, userId)];
  return { communityId, userId, results: await check(ctx, community, members, true) };
}

/** Decides the roles of one member, and changes nothing. */
export async function checkUserRoles(
  ctx: Context,
  { body: { communityId, userId } }: { body: RoleCheckRequest },
): Promise<CheckUserRolesResponse> {
  if (userId === '*') {
    const message = 'must name one member; every member is checked by check-community-roles';
    throw new AppError('VALIDATION_FAILED', `userId ${message}.`, {
      details: [{ path: '/userId', code: 'pattern', message }],
    });
  }
  return checkUserRolesByQuery(ctx, { communityId, userId });
}

/** Decides the roles of one member, in one community or in each that the caller may ask about. */
export async function checkUserRolesByQuery(
  ctx: Context,
  { communityId, userId }: { communityId?: string | undefined; userId?: string | undefined },
): Promise<CheckUserRolesResponse> {
  const targets = await findTargets(ctx, { communityId, userId });
  const checked = await inParallel(targets, looksAtOnce, (target) =>
    check(ctx, target.community, [target.userId], target.isManager),
  );
  const results = checked.flat();
  if (results.length === 0) throw notFound('member');
  return { communityId, userId, results };
}

async function check(
  ctx: Context,
  community: CommunityRow,
  userIds: readonly string[] | '*',
  liftPauses: boolean,
): Promise<Results> {
  const { members } = await lookNow(ctx, community, userIds, { liftPauses });
  const frame = await readFrame(ctx, community);
  const results = members.map((member) =>
    toAssignments(frame, member, showsAddressesOf(ctx.actor, member.row.user_id)),
  );
  return cut(results.toSorted((a, b) => Number(a.consistent) - Number(b.consistent)));
}

/** As many results as an answer holds. The answer has no field for what is left out, so the last result says it. */
function cut(results: Results): Results {
  const listed = results.slice(0, mostResults);
  const last = listed.at(-1);
  if (results.length === listed.length || last === undefined) return listed;
  const left = results.slice(mostResults).filter(({ consistent }) => !consistent).length;
  const notes = [
    describeCut(mostResults, results.length, 'members'),
    left === 0
      ? 'The roles of all others are as they should be, as far as that is known.'
      : `${left.toLocaleString('en')} others have roles that differ. Check them one by one, or preview a role plan.`,
  ];
  return [...listed.slice(0, -1), { ...last, errors: noteCuts(last.errors ?? [], notes) }];
}

// Members prove wallets to this server, not to those who look after their communities.
function showsAddressesOf(actor: Actor, userId: string): boolean {
  if (actor.kind === 'user') return actor.userId === userId;
  return actor.kind === 'client' ? isInternal(actor) : actor.kind !== 'anonymous';
}

async function readFrame(ctx: Context, community: CommunityRow): Promise<Frame> {
  const rules = await selectRules(ctx.db.system, community.id);
  return { community, rules, roles: rules.length === 0 ? new Map() : await readPlatformRoles(ctx, community) };
}
