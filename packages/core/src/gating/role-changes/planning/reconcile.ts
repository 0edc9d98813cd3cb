import type { TokenIdSet } from '@latchkey/kernel';
import type { CommunityRow } from '../../../communities/community-records/index.ts';
import { refreshMembers, syncMembers } from '../../../communities/members/index.ts';
import { type MemberRow, mayHaveRoles, selectMembers } from '../../../communities/memberships/index.ts';
import type { LinkedWallet } from '../../../identity/wallets/index.ts';
import type { PlatformRole, RoleHost } from '../../../ports/index.ts';
import type { Context } from '../../../shared/context.ts';
import {
  decideMember,
  type Facts,
  fetchFacts,
  gatingSettings,
  isByPassAlone,
  type OpenRules,
  type RoleReason,
  type RoleVerdict,
} from '../../evaluation/index.ts';
import { selectGranted, selectWrittenSince } from '../ledger/queries.ts';
import { changesOf, type RoleChange } from './change-set.ts';
import { type OpenItem, selectOpenItems } from './change-set-queries.ts';
import { pairKey, selectSuppressed } from './suppression-queries.ts';

export type ReconcileContext = Pick<Context, 'clock' | 'db' | 'egress' | 'follower' | 'holdings' | 'log' | 'settings'>;

/** Where and how members are checked. */
export interface Scope {
  community: CommunityRow;
  host: RoleHost;
  rules: OpenRules;
  /** Roles whose rule was deleted: members who got them from Latchkey lose them, unless something else grants them. */
  retiredRoleIds: readonly string[];
  /** Guest passes that count as if they had ended. */
  endedPassIds?: readonly string[] | undefined;
  tokenLists: ReadonlyMap<string, TokenIdSet>;
  /** The platform's roles, for platforms that cannot show all of a member's roles together. */
  roles: readonly PlatformRole[];
  /** Ignore stored holdings and members. */
  fresh: boolean;
  /** Members whose suppressions end with this check. */
  requested: ReadonlySet<string>;
  signal?: AbortSignal | undefined;
}

/** A member, and what the rules say about their roles. */
export interface ReconciledMember {
  row: MemberRow;
  /** The member's roles after everything in flight has been applied. */
  roleIds: readonly string[];
  wallets: readonly LinkedWallet[];
  /** What is decided about roles that are not suppressed. */
  verdicts: readonly RoleVerdict[];
  /** The blocks that were read, by chain, also for roles that are suppressed. */
  blocks: Readonly<Record<string, string>>;
  changes: readonly RoleChange[];
}

/** The result of a check. Bots are not included. */
export interface Reconciled {
  members: readonly ReconciledMember[];
  /** Those who have left, with the roles that leaving did not end and that they lose now. */
  former: readonly ReconciledMember[];
  /** Open changes in other change sets that are no longer wanted. */
  outdated: readonly OpenItem[];
  /** Members whose entries on the platform are malformed right now. Nothing is decided about them. */
  unread: ReadonlySet<string>;
}

/** Up to this many members are read one by one; beyond that, the whole member list is read. */
const mostSingleReads = 25;

/** The maximum age of a late event from the platform. */
const maxEventDelaySeconds = 120;

/**
 * Reconciles members: reads what they hold, evaluates their roles and compares them with the roles they have. Every
 * change it finds is certain: actual roles were just read from the platform, and removals were confirmed by a second,
 * fresh read on which several endpoints agreed.
 */
export async function reconcile(ctx: ReconcileContext, scope: Scope, userIds: readonly string[]): Promise<Reconciled> {
  const { community, signal } = scope;
  // Read before the roles: a change applied in between then shows up in both. In the other order it would show up in
  // neither.
  const open = Map.groupBy(await selectOpenItems(ctx.db.system, community.id, userIds), (item) => item.user_id);
  const unread = new Set<string>();
  const rows = await rereadContradicted(ctx, scope, await readPresent(ctx, scope, userIds, unread), unread);
  const ids = rows.map((row) => row.user_id);
  const present = rows.filter((row) => row.left_at === null).map((row) => row.user_id);
  const suppressed = await selectSuppressed(ctx.db.system, community.id, ids);
  const facts = await fetchFacts(ctx, scope, present, { from: scope.fresh ? 'chain' : 'store', signal });
  const granted = await selectGranted(ctx.db.system, community.id, scope.retiredRoleIds, ids);
  const evaluate = async (row: MemberRow, known: Facts) =>
    evaluateMember(scope, row, { open: open.get(row.user_id) ?? [], suppressed, granted }, known);

  const members = new Map<string, ReconciledMember>();
  for (const row of rows) members.set(row.user_id, await evaluate(row, facts));

  for (const row of await rereadActual(ctx, scope, [...members.values()], unread)) {
    if (mayHaveRoles(row)) members.set(row.user_id, await evaluate(row, facts));
    else members.delete(row.user_id);
  }
  for (const userId of unread) members.delete(userId);
  const isPresent = ({ row }: ReconciledMember) => row.left_at === null;
  const losing = [...members.values()].filter(
    (member) => isPresent(member) && member.changes.some(({ action }) => action === 'revoke'),
  );
  if (losing.length > 0) {
    const { removalQuorum: quorum } = gatingSettings(ctx);
    const losingIds = losing.map(({ row }) => row.user_id);
    const confirmed = await fetchFacts(ctx, scope, losingIds, { from: 'chain', quorum, signal });
    for (const { row } of losing) members.set(row.user_id, await evaluate(row, confirmed));
  }
  const reconciled = [...members.values()];
  const outdated = reconciled.flatMap((member) => outdatedOf(member, open.get(member.row.user_id)));
  const former = reconciled.filter((member) => !isPresent(member));
  return { members: reconciled.filter(isPresent), former, outdated, unread };
}

/**
 * Returns the members as stored. Unknown members are read from the platform, and those who left but may still have roles; so are
 * all of them if there are few and stored data must be ignored.
 */
async function readPresent(
  ctx: ReconcileContext,
  scope: Scope,
  userIds: readonly string[],
  unread: Set<string>,
): Promise<MemberRow[]> {
  const { community, host, signal } = scope;
  const isStoredGood = !scope.fresh || userIds.length > mostSingleReads;
  const stored = isStoredGood ? await selectMembers(ctx.db.system, community.id, userIds) : [];
  const isOpen = (row: MemberRow) =>
    host.readLeftRoles !== undefined && row.left_at !== null && (row.role_ids.length === 0 || isStale(ctx, row));
  const known = stored.filter((row) => !isOpen(row));
  const knownIds = new Set(known.map((row) => row.user_id));
  const unknownIds = userIds.filter((userId) => !knownIds.has(userId));
  for (const userId of await refreshMembers(ctx, host, community, unknownIds, signal)) unread.add(userId);
  const found = unknownIds.length === 0 ? [] : await selectMembers(ctx.db.system, community.id, unknownIds);
  return [...known, ...found].filter((row) => mayHaveRoles(row) && !row.is_bot && !unread.has(row.user_id));
}

/** What is known about a member besides their holdings. */
interface MemberState {
  open: readonly OpenItem[];
  /** Pairs that an undo or a rejection suppressed. */
  suppressed: ReadonlySet<string>;
  /** Pairs of retired roles that Latchkey granted. */
  granted: ReadonlySet<string>;
}

async function evaluateMember(
  scope: Scope,
  row: MemberRow,
  { open, suppressed, granted }: MemberState,
  facts: Facts,
): Promise<ReconciledMember> {
  const roleIds = afterSent(row.role_ids, open);
  const isSuppressed = ({ roleId }: RoleVerdict) =>
    !scope.requested.has(row.user_id) && suppressed.has(pairKey({ userId: row.user_id, roleId }));
  const inProgress = (change: RoleChange) =>
    open.some((item) => item.role_id === change.roleId && item.action === change.action && item.state !== 'sent');
  if (row.left_at !== null) {
    const verdicts = leftVerdicts(scope, row.user_id, roleIds, { open, granted });
    const changes = changesOf({ userId: row.user_id, roleIds }, verdicts).filter((change) => !inProgress(change));
    return { row, roleIds, wallets: [], verdicts, blocks: {}, changes };
  }
  const decided = await decideMember(scope.rules, facts, { userId: row.user_id, roleIds });
  const retired = retiredVerdicts(scope, decided, row.user_id, roleIds, { open, granted });
  const shown = showTogether(scope, [...decided, ...retired], { roleIds, isSuppressed }).filter(
    (verdict) => !isSuppressed(verdict),
  );
  const verdicts = row.is_pending ? shown.map((verdict) => awaitScreening(verdict, roleIds)) : shown;
  const isImpossible = ({ action }: RoleChange) => row.is_pending || (action === 'revoke' && row.is_protected === true);
  // A guest pass writes the roles that only it grants, because it must know what to remove when it ends.
  const planned = verdicts.filter(({ reason }) => !isByPassAlone(reason));
  const changes = changesOf({ userId: row.user_id, roleIds }, planned).filter(
    (change) => !inProgress(change) && !isImpossible(change),
  );
  const blocks: Record<string, string> = Object.assign({}, ...decided.map((verdict) => verdict.blocks));
  return { row, roleIds, wallets: facts.wallets.get(row.user_id) ?? [], verdicts, blocks, changes };
}

/**
 * Someone who left the community loses every role that rules give there, whatever they hold: no rule asks them any more. Roles that
 * no rule gives are no business of ours.
 */
function leftVerdicts(
  scope: Pick<Scope, 'rules' | 'retiredRoleIds'>,
  userId: string,
  held: readonly string[],
  state: Pick<MemberState, 'open' | 'granted'>,
): RoleVerdict[] {
  const { rules, compositions } = scope.rules;
  const ruled = [...new Set([...rules, ...compositions].map(({ roleId }) => roleId))].map((roleId): RoleVerdict => {
    return { roleId, truth: 'false', reason: { truth: 'false', rules: [], hasLeft: true }, blocks: {} };
  });
  return [...ruled, ...retiredVerdicts(scope, ruled, userId, held, state)];
}

/** A role would let the member skip membership screening, so it is granted after that. */
function awaitScreening(verdict: RoleVerdict, roleIds: readonly string[]): RoleVerdict {
  if (verdict.truth !== 'true' || roleIds.includes(verdict.roleId)) return verdict;
  return { ...verdict, reason: { ...verdict.reason, isAwaitingScreening: true } };
}

/**
 * Removes retired roles that no rule decides from members who got them from Latchkey; other members have them from
 * elsewhere.
 */
function retiredVerdicts(
  { retiredRoleIds }: Pick<Scope, 'retiredRoleIds'>,
  decided: readonly RoleVerdict[],
  userId: string,
  held: readonly string[],
  { open, granted }: Pick<MemberState, 'open' | 'granted'>,
): RoleVerdict[] {
  const isOwn = (roleId: string) =>
    granted.has(pairKey({ userId, roleId })) ||
    open.some(({ role_id, action, state }) => role_id === roleId && action === 'grant' && state === 'sent');
  return retiredRoleIds
    .filter((roleId) => held.includes(roleId) && isOwn(roleId) && !decided.some((one) => one.roleId === roleId))
    .map((roleId) => {
      return { roleId, truth: 'false', reason: { truth: 'false', rules: [], isRuleDeleted: true }, blocks: {} };
    });
}

/** The roles a member will have once the changes in flight are applied. */
function afterSent(roleIds: readonly string[], open: readonly OpenItem[]): string[] {
  const roles = new Set(roleIds);
  for (const { state, action, role_id } of open) {
    if (state === 'sent' && action === 'grant') roles.add(role_id);
    if (state === 'sent' && action === 'revoke') roles.delete(role_id);
  }
  return [...roles].toSorted();
}

// An unknown result drops a pending removal, but not one that is held for approval: that one was certain when it was
// planned.
function outdatedOf({ verdicts }: ReconciledMember, open: readonly OpenItem[] = []): OpenItem[] {
  return open.filter(({ role_id, action, state }) => {
    if (state === 'sent') return false;
    const truth = verdicts.find((verdict) => verdict.roleId === role_id)?.truth;
    if (truth === undefined) return false;
    if (truth === 'unknown') return action === 'revoke' && state === 'pending';
    return (truth === 'true') !== (action === 'grant');
  });
}

/**
 * Re-reads members whose stored roles contradict what was just written. After a reconnect, a platform replays missed
 * events one by one, so older roles may have overwritten newer ones.
 */
async function rereadContradicted(
  ctx: ReconcileContext,
  scope: Scope,
  rows: readonly MemberRow[],
  unread: Set<string>,
): Promise<MemberRow[]> {
  const since = new Date(ctx.clock().getTime() - maxEventDelaySeconds * 1000);
  const written = Map.groupBy(
    await selectWrittenSince(ctx.db.system, scope.community.id, since),
    ({ user_id }) => user_id,
  );
  const isContradicted = (row: MemberRow) =>
    written.get(row.user_id)?.some(({ role_id, action }) => row.role_ids.includes(role_id) !== (action === 'grant'));
  const contradicted = new Set(rows.filter(isContradicted).map((row) => row.user_id));
  if (contradicted.size === 0) return [...rows];
  const known = rows.filter((row) => !contradicted.has(row.user_id));
  const found = await reread(ctx, scope, [...contradicted], unread);
  return [...known, ...found.filter(mayHaveRoles)];
}

/** Re-reads the roles of members who are about to change and were not seen recently. Returns their new rows. */
async function rereadActual(
  ctx: ReconcileContext,
  scope: Scope,
  members: readonly ReconciledMember[],
  unread: Set<string>,
): Promise<MemberRow[]> {
  const stale = members
    .filter(({ row, changes }) => changes.length > 0 && isStale(ctx, row))
    .map(({ row }) => row.user_id);
  return stale.length === 0 ? [] : reread(ctx, scope, stale, unread);
}

function isStale(ctx: ReconcileContext, { seen_at }: Pick<MemberRow, 'seen_at'>): boolean {
  return seen_at.getTime() < ctx.clock().getTime() - gatingSettings(ctx).memberFreshSeconds * 1000;
}

/** Re-reads members from the platform. Those who could not be read are added to `unread` and left out. */
async function reread(
  ctx: ReconcileContext,
  { community, host, signal }: Scope,
  userIds: readonly string[],
  unread: Set<string>,
): Promise<MemberRow[]> {
  const startedAt = ctx.clock();
  const isInList = host.listsEveryone !== false;
  if (userIds.length > mostSingleReads && isInList) await syncMembers(ctx, host, community, signal);
  else await refreshMembers(ctx, host, community, userIds, signal);
  const rows = await selectMembers(ctx.db.system, community.id, userIds);
  const isRead = ({ seen_at }: MemberRow) => seen_at.getTime() >= startedAt.getTime();
  for (const row of rows) if (!isRead(row)) unread.add(row.user_id);
  return rows.filter(isRead);
}

/**
 * Some platforms can show only a part of the roles that a member qualifies for; the others count as false. A role that
 * the member has and must keep, because it is unknown or suppressed, takes one of the places.
 */
function showTogether(
  { host, roles }: { host: Pick<RoleHost, 'settle'>; roles: readonly PlatformRole[] },
  verdicts: readonly RoleVerdict[],
  member: { roleIds: readonly string[]; isSuppressed(verdict: RoleVerdict): boolean },
): readonly RoleVerdict[] {
  if (host.settle === undefined) return verdicts;
  const staysHeld = (verdict: RoleVerdict) => verdict.truth === 'unknown' || member.isSuppressed(verdict);
  const isWanted = (verdict: RoleVerdict) =>
    staysHeld(verdict) ? member.roleIds.includes(verdict.roleId) : verdict.truth === 'true';
  const wanted = verdicts.filter(isWanted).map(({ roleId }) => roleId);
  const shown = new Set(host.settle(roles, wanted));
  return verdicts.map((verdict) =>
    isWanted(verdict) && !shown.has(verdict.roleId)
      ? { ...verdict, truth: 'false', reason: outranked(verdict) }
      : verdict,
  );
}

/** The reason for a role that is not shown because another role of the member takes its place. */
function outranked({ reason }: RoleVerdict): RoleReason {
  return { ...reason, truth: 'false', isOutranked: true };
}

/** Returns the roles that a member has, without those being removed; undefined if they are not a member. */
export async function readRoles(
  ctx: Pick<Context, 'db'>,
  communityId: string,
  userId: string,
): Promise<readonly string[] | undefined> {
  // Read before the roles: a role that is removed in between is then in neither.
  const open = await selectOpenItems(ctx.db.system, communityId, [userId]);
  const [member] = await selectMembers(ctx.db.system, communityId, [userId]);
  if (member === undefined || member.left_at !== null || member.is_bot) return undefined;
  // A removal that is held for approval is not decided yet.
  const leaving = open.filter(({ action, state }) => action === 'revoke' && state !== 'planned');
  return member.role_ids.filter((roleId) => !leaving.some((item) => item.role_id === roleId));
}
