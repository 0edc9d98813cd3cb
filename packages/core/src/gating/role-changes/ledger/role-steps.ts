import { type Sql, sql } from '@latchkey/db';
import { choice, notFound, op, platformNames, record, T, text, type ValueOf } from '@latchkey/kernel';
import { communityAdmin, ownCommunity } from '../../../communities/access/index.ts';
import { readRecentRoles } from '../../../communities/community/index.ts';
import type { CommunityRow } from '../../../communities/community-records/index.ts';
import { type MemberRow, selectMembers } from '../../../communities/memberships/index.ts';
import { selectQueued } from '../../../communities/reconcile-queue/index.ts';
import { selectCounted } from '../../../identity/wallets/index.ts';
import { communityParam } from '../../../shared/community-id.ts';
import type { Context } from '../../../shared/context.ts';
import { quietUntil, readApprovalPolicy } from '../../approval-policies/index.ts';
import { memberKey, userId } from '../api/params.ts';
import { all, type BreakerRow, selectBreakerRows } from '../applying/breaker-queries.ts';
import { suppressedRolesOf } from '../planning/suppression-queries.ts';
import { selectShadowOn } from '../shadow/queries.ts';
import type { ChangeSetItemRow, LedgerRow } from '../tables.ts';
import { selectEntriesAt } from './queries.ts';

const causes = [
  'no-wallet',
  'queue',
  'unreadable',
  'approval',
  'quiet-hours',
  'writing',
  'platform',
  'role-above-bot',
  'blocked-role',
  'protected-member',
  'screening',
  'refused',
  'shadow-mode',
  'undone-by-admin',
  'not-shown',
] as const;
type Cause = (typeof causes)[number];

const RoleStep = record('RoleStep', 'One step between a linked wallet and a role in the chat.', {
  state: choice(
    'done. waiting: it continues by itself. stopped: a person must do something first. none: there is nothing to do.',
    ['done', 'waiting', 'stopped', 'none'] as const,
  ),
  time: T.Optional(text('When it was done, in ISO 8601.')),
  cause: T.Optional(
    choice(
      'Why it is not done. no-wallet: no linked wallet counts here. queue: the check or the change is next in the queue. unreadable: a chain or service did not respond; it is tried again. approval: an admin must approve the change. quiet-hours: the community takes no roles at this time. writing: the change was sent to the platform. platform: the platform did not respond; it is tried again. role-above-bot: the role is above the bot’s own. blocked-role: the platform does not let the bot change this role. protected-member: the platform does not let the bot change this member. screening: the member has not accepted the server’s rules yet. refused: the platform refused the change for good. shadow-mode: Latchkey changes no roles in this community yet. undone-by-admin: an admin undid or rejected it. not-shown: the platform does not show it.',
      causes,
    ),
  ),
  sinceTime: T.Optional(text('Since when it waits, in ISO 8601.')),
  nextTime: T.Optional(text('When it is tried next, in ISO 8601.')),
  advice: T.Optional(text('What an admin can do about it. Shown to community admins only.', { maxLength: 4096 })),
});
type RoleStep = ValueOf<typeof RoleStep>;

export const RoleSteps = record('RoleSteps', 'How far the roles of a member have come, step by step.', {
  platform: choice('The chat platform.', platformNames),
  linked: RoleStep,
  checked: RoleStep,
  blocks: T.Array(T.Object({ chain: text('The chain, for example evm:1.'), block: text('The number of the block.') }), {
    description: 'The blocks that the last check read.',
    maxItems: 200,
  }),
  roles: T.Array(
    record('RoleProgress', 'A role that was changed, or is to be changed.', {
      roleId: text('The id of the role on the platform.'),
      name: T.Optional(
        text('What the role is called; absent if the platform does not provide it.', { maxLength: 256 }),
      ),
      color: T.Optional(T.Number({ description: 'Its color, as one number of red, green and blue.' })),
      action: choice('Whether the role is given or taken.', ['grant', 'revoke'] as const),
      written: RoleStep,
      seen: RoleStep,
      changeSetId: T.Optional(text('The change set that it belongs to. Shown to community admins only.')),
    }),
    { description: 'The newest change of each role, open ones first.', maxItems: 50 },
  ),
});
export type RoleSteps = ValueOf<typeof RoleSteps>;

type StepContext = Pick<Context, 'clock' | 'db' | 'hosts' | 'log' | 'settings'>;
type OpenItem = Pick<
  ChangeSetItemRow,
  'change_set_id' | 'role_id' | 'action' | 'state' | 'tries' | 'due_at' | 'last_error'
> & { created_at: Date; decided_at: Date | null };

const mostRoles = 50;

/**
 * How far a member's roles have come, by what was recorded: the queue, the changes that wait and the ledger. Members are
 * shown neither who decides nor what is wrong with the set-up, and no role that `isShown` leaves out.
 */
export async function readRoleSteps(
  ctx: StepContext,
  community: CommunityRow,
  member: MemberRow,
  reader: { isAdmin: boolean; isShown?: (roleId: string) => boolean },
): Promise<RoleSteps> {
  const db = ctx.db.system;
  const place = { communityId: community.id, userId: member.user_id };
  const now = ctx.clock();
  const [wallets, queued, items, ledger, breakers, suppressed, shadow, policy, roles] = await Promise.all([
    selectCounted(db, community.id, member.user_id),
    selectQueued(db, community.id, member.user_id),
    selectOpenItems(db, place),
    selectEntriesAt(db, community.id, member.user_id, now),
    selectBreakerRows(db, community.id),
    suppressedRolesOf(db, community.id, member.user_id),
    selectShadowOn(db, community.id),
    readApprovalPolicy(ctx, db, community.id),
    readRecentRoles(ctx, community),
  ]);
  const scene = { member, breakers, suppressed, now, quietEnd: quietUntil(policy.quietHours, now) };
  const open = new Map(items.map((item) => [item.role_id, item]));
  const written = ledger.filter(({ role_id, at }) => {
    const item = open.get(role_id);
    return item === undefined || (item.state === 'failed' && at > item.created_at);
  });
  const waiting = items.filter(({ role_id }) => !written.some((entry) => entry.role_id === role_id));
  const newestFirst = written.toSorted((a, b) => b.at.getTime() - a.at.getTime());
  const linkedAt = wallets.at(-1)?.connected_at;
  const changes = [
    ...waiting.map((item) => describe(item.role_id, item.action, item.change_set_id, stepOfItem(item, scene), none)),
    ...newestFirst.map((entry) =>
      describe(entry.role_id, entry.action, entry.change_set_id, doneAt(entry.at), seenStep(entry, scene)),
    ),
  ];
  return {
    platform: community.platform,
    linked: linkedAt === undefined ? { state: 'stopped', cause: 'no-wallet' } : doneAt(linkedAt),
    checked: shadow === undefined ? checkedStep(member, queued, linkedAt, now) : shadowStep(member),
    blocks: Object.entries(member.checked_blocks ?? {}).map(([chain, block]) => ({ chain, block: String(block) })),
    roles: changes.filter(({ roleId }) => reader.isShown?.(roleId) !== false).slice(0, mostRoles),
  };

  function describe(
    roleId: string,
    action: LedgerRow['action'],
    changeSetId: string,
    written: RoleStep,
    seen: RoleStep,
  ): RoleSteps['roles'][number] {
    const { advice, ...shown } = written;
    const role = roles.get(roleId);
    return {
      roleId,
      ...(role !== undefined && { name: role.name, ...(role.color !== undefined && { color: role.color }) }),
      action,
      written: reader.isAdmin && advice !== undefined ? { ...shown, advice } : shown,
      seen,
      ...(reader.isAdmin && { changeSetId }),
    };
  }
}

const none: RoleStep = { state: 'none' };

function doneAt(at: Date): RoleStep {
  return { state: 'done', time: at.toISOString() };
}

function waiting(cause: Cause, since?: Date, next?: Date | null): RoleStep {
  return {
    state: 'waiting',
    cause,
    ...(since !== undefined && { sinceTime: since.toISOString() }),
    ...(next && { nextTime: next.toISOString() }),
  };
}

function checkedStep(
  { checked_at }: MemberRow,
  queued: Awaited<ReturnType<typeof selectQueued>>,
  linkedAt: Date | undefined,
  now: Date,
): RoleStep {
  // A retry after something could not be read is not the same as a place in the queue.
  if (queued?.due_at && queued.due_at > now && queued.attempts > 0)
    return waiting('unreadable', queued.since, queued.due_at);
  if (queued !== undefined) return waiting('queue', queued.since, queued.due_at);
  if (checked_at !== null && (linkedAt === undefined || checked_at >= linkedAt)) return doneAt(checked_at);
  return linkedAt === undefined ? none : waiting('queue', linkedAt);
}

function shadowStep({ checked_at }: MemberRow): RoleStep {
  return { state: 'stopped', cause: 'shadow-mode', ...(checked_at !== null && { time: checked_at.toISOString() }) };
}

interface Scene {
  member: MemberRow;
  breakers: readonly BreakerRow[];
  suppressed: ReadonlySet<string>;
  now: Date;
  quietEnd: Date | undefined;
}

/** Why a change is not written yet. */
function stepOfItem(item: OpenItem, { member, breakers, now, quietEnd }: Scene): RoleStep {
  const since = item.decided_at ?? item.created_at;
  if (item.state === 'planned')
    return { state: 'stopped', cause: 'approval', sinceTime: item.created_at.toISOString() };
  const breaker = breakers.find(
    ({ role_id, user_id, fault, is_on_trial }) =>
      !is_on_trial &&
      (role_id === all || role_id === item.role_id) &&
      (user_id === all || user_id === member.user_id) &&
      (fault !== 'ruling' || item.action === 'grant'),
  );
  if (breaker !== undefined)
    return {
      state: 'stopped',
      cause: causeOfBreaker(breaker),
      sinceTime: breaker.since.toISOString(),
      advice: breaker.advice,
    };
  if (item.state === 'failed')
    return {
      state: 'stopped',
      cause: 'refused',
      sinceTime: since.toISOString(),
      ...(item.last_error !== null && { advice: item.last_error }),
    };
  if (member.is_pending && item.action === 'grant') return { ...waiting('screening', since), state: 'stopped' };
  const isLater = item.due_at !== null && item.due_at > now;
  if (isLater && item.tries === 0 && item.action === 'revoke' && quietEnd !== undefined)
    return waiting('quiet-hours', since, item.due_at);
  if (item.tries > 0) return waiting('platform', since, item.due_at);
  return waiting(item.state === 'sent' ? 'writing' : 'queue', since, isLater ? item.due_at : undefined);
}

function causeOfBreaker({ fault, user_id }: BreakerRow): Cause {
  if (fault === 'above-bot') return 'role-above-bot';
  return user_id === all ? 'blocked-role' : 'protected-member';
}

/** Whether the platform shows what was written. */
function seenStep({ role_id, action, at }: LedgerRow, { member, suppressed }: Scene): RoleStep {
  const isShown = member.role_ids.includes(role_id) === (action === 'grant');
  const seenAt = member.seen_at > at ? member.seen_at : at;
  if (isShown) return doneAt(seenAt);
  if (suppressed.has(role_id)) return { state: 'stopped', cause: 'undone-by-admin' };
  return { state: 'stopped', cause: 'not-shown', sinceTime: seenAt.toISOString() };
}

/** The newest change of each role of a member that waits or was given up. */
async function selectOpenItems(
  db: Sql,
  { communityId, userId }: { communityId: string; userId: string },
): Promise<OpenItem[]> {
  const { rows } = await sql<OpenItem>`
    select * from (
      select distinct on (i.role_id) i.change_set_id, i.role_id, i.action, i.state, i.tries, i.due_at, i.last_error,
        p.created_at, p.decided_at
      from (
        select * from change_set_items
        where community_id = ${communityId} and user_id = ${userId} and state in ('planned', 'pending', 'sent')
        union all
        select * from change_set_items
        where community_id = ${communityId} and user_id = ${userId} and state = 'failed'
      ) as i join change_sets p on p.id = i.change_set_id
      where i.state <> 'planned' or p.status = 'held'
      order by i.role_id, p.created_at desc, p.id desc
    ) as newest order by created_at desc limit ${mostRoles}`.execute(db);
  return rows;
}

export const roleStepOperations = [
  op(
    'GET /latchkey/communities/{communityId}/members/{userId}/role-steps',
    {
      id: 'getRoleSteps',
      summary: 'Show a member’s role progress',
      description:
        'Returns how far the roles of a member have come: wallet linked, checked at which block, role written, and seen on the chat platform. Each step has its time, or the reason why it waits. Reads only what was recorded; nothing is checked or changed. For community admins.',
      access: communityAdmin('communityId', 'role-manager'),
      params: { communityId: communityParam, userId },
      returns: RoleSteps,
    },
    getRoleSteps,
  ),
] as const;

export async function getRoleSteps(
  ctx: Context,
  { communityId, userId }: { communityId: string; userId: string },
): Promise<RoleSteps> {
  const community = await ownCommunity(ctx, communityId);
  const [member] = await selectMembers(ctx.db.system, community.id, [memberKey(community, userId)]);
  if (member === undefined) throw notFound('member');
  return readRoleSteps(ctx, community, member, { isAdmin: true });
}
