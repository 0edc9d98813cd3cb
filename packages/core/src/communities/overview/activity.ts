import {
  auditActions,
  choice,
  isAuditAction,
  notFound,
  type Page,
  record,
  T,
  text,
  type ValueOf,
} from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { type LedgerRow, selectLedger } from '../../gating/role-plans/index.ts';
import { type AuditRow, selectAuditEntries } from '../../machinery/audit/index.ts';
import { type PageRequest, paginate } from '../../paging.ts';
import { type CommunityRow, readPlatformRoles, selectCommunity } from '../communities/index.ts';
import { selectMembers } from '../members/index.ts';

export const ActivityEntry = record('ActivityEntry', 'Something that happened in a community.', {
  id: text('Names the entry.'),
  time: text('When it was, in ISO 8601.'),
  kind: choice('A role that was given or removed, or something that an admin or the operator did.', [
    'role-given',
    'role-removed',
    'admin-action',
  ]),
  userId: T.Optional(text('The member whose role changed, or the admin; absent for the operator.')),
  userName: T.Optional(text('What the platform calls them; absent where that is not known.')),
  roleId: T.Optional(text('The role that changed.')),
  roleName: T.Optional(text('What that role is called now; absent where the platform does not tell.')),
  planId: T.Optional(text('The role changes it belongs to.')),
  action: T.Optional(text('What was done, from the closed list of the audit log.')),
  meaning: T.Optional(text('The same in words.')),
});
export type ActivityEntry = ValueOf<typeof ActivityEntry>;

/** One row of either log, and how far both are read when it is shown. */
interface Merged {
  row: { from: 'ledger'; entry: LedgerRow } | { from: 'audit'; entry: AuditRow };
  beforeLedger: string;
  beforeAudit: string;
}

type ActivityContext = Pick<Context, 'actor' | 'clock' | 'db' | 'hosts' | 'keyring' | 'log' | 'random'>;

/** What happened in a community, newest first: role changes and what its admins did. */
export async function listActivity(
  ctx: ActivityContext,
  { communityId, ...request }: PageRequest & { communityId: string },
): Promise<Page<ActivityEntry>> {
  const community = await selectCommunity(ctx.db.system, communityId);
  if (community === undefined) throw notFound('community');
  const page = await paginate(ctx, request, {
    list: `activity:${community.id}`,
    read: (after, limit) => readBoth(ctx, community.id, after, limit),
    cursorOf: ({ beforeLedger, beforeAudit }) => [beforeLedger, beforeAudit],
  });
  return { ...page, items: await describe(ctx, community, page.items) };
}

/** Each log is read by its own ids, which is quick at any depth; only what is shown is merged by time. */
async function readBoth(
  { db }: ActivityContext,
  communityId: string,
  after: readonly string[] | undefined,
  limit: number,
): Promise<Merged[]> {
  const [ledgerFrom = '', auditFrom = ''] = after ?? [];
  const beforeId = auditFrom === '' ? undefined : Number(auditFrom);
  const [ledger, audit] = await Promise.all([
    selectLedger(db.system, communityId, {}, ledgerFrom === '' ? undefined : ledgerFrom, limit),
    selectAuditEntries(db.system, { communityId, beforeId, limit }),
  ]);
  const rows: Merged['row'][] = [
    ...ledger.map((entry) => ({ from: 'ledger' as const, entry })),
    ...audit.map((entry) => ({ from: 'audit' as const, entry })),
  ];
  let [beforeLedger, beforeAudit] = [ledgerFrom, auditFrom];
  return mergeByTime(rows)
    .slice(0, limit)
    .map((row) => {
      if (row.from === 'ledger') beforeLedger = String(row.entry.id);
      else beforeAudit = String(row.entry.id);
      return { row, beforeLedger, beforeAudit };
    });
}

/** Within one log the ids decide, so that the cursor never skips what came a moment later with an earlier time. */
function mergeByTime(rows: readonly Merged['row'][]): Merged['row'][] {
  const waiting = [rows.filter(({ from }) => from === 'ledger'), rows.filter(({ from }) => from === 'audit')];
  const merged: Merged['row'][] = [];
  for (;;) {
    const heads = waiting.filter(([head]) => head !== undefined);
    const [newest] = heads.toSorted(([a], [b]) => timeOf(b) - timeOf(a));
    const row = newest?.shift();
    if (row === undefined) return merged;
    merged.push(row);
  }
}

function timeOf(row: Merged['row'] | undefined): number {
  return row?.entry.at.getTime() ?? 0;
}

async function describe(
  ctx: ActivityContext,
  community: CommunityRow,
  merged: readonly Merged[],
): Promise<ActivityEntry[]> {
  if (merged.length === 0) return [];
  const userIds = new Set(merged.map(({ row }) => (row.from === 'ledger' ? row.entry.user_id : row.entry.who)));
  const hasRoles = merged.some(({ row }) => row.from === 'ledger');
  const [members, roles] = await Promise.all([
    selectMembers(ctx.db.system, community.id, [...userIds]),
    hasRoles ? readPlatformRoles(ctx, community) : new Map(),
  ]);
  const names = new Map(members.map(({ user_id, user_name }) => [user_id, user_name ?? undefined]));
  return merged.map(({ row }) => {
    const { id, at } = row.entry;
    const base = { id: `${row.from}-${id}`, time: at.toISOString() };
    if (row.from === 'audit') return { ...base, kind: 'admin-action', ...describeAction(row.entry, names) };
    const { user_id, role_id, plan_id, action } = row.entry;
    return {
      ...base,
      kind: action === 'grant' ? 'role-given' : 'role-removed',
      userId: user_id,
      userName: names.get(user_id),
      roleId: role_id,
      roleName: roles.get(role_id)?.name,
      planId: plan_id,
    };
  });
}

function describeAction({ who, action }: AuditRow, names: ReadonlyMap<string, string | undefined>) {
  const meaning = isAuditAction(action) ? auditActions[action] : undefined;
  // Which key or login the operator used is the operator's.
  return who.startsWith('$') ? { action, meaning } : { userId: who, userName: names.get(who), action, meaning };
}
