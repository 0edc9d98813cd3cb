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
import { readPlatformRoles } from '../../communities/community/index.ts';
import { type CommunityRow, selectCommunity } from '../../communities/community-records/index.ts';
import { selectMembers } from '../../communities/memberships/index.ts';
import { selectRules } from '../../communities/rule-records/index.ts';
import { namesOfMiniApps } from '../../developers/mini-apps/index.ts';
import { selectRuleChangesBetween } from '../../gating/community-rules/index.ts';
import { type LedgerRow, selectLedger } from '../../gating/role-changes/index.ts';
import { namesOfApps } from '../../identity/client-apps/index.ts';
import { type AuditRow, selectAuditEntries } from '../../services/audit/index.ts';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';

export const ActivityObject = record('ActivityObject', 'What an action was done to; absent if it is no longer known.', {
  kind: choice('What it is.', ['rule', 'member', 'app', 'application', 'change-set']),
  id: text('Its id.'),
  name: T.Optional(text('What it is called, or was called when it was deleted.')),
  exists: T.Boolean({ description: 'Whether it is still there.' }),
});
export type ActivityObject = ValueOf<typeof ActivityObject>;

export const ActivityEntry = record('ActivityEntry', 'Something that happened in a community.', {
  id: text('The id of the entry.'),
  time: text('When it was, in ISO 8601.'),
  kind: choice('A role that was given or removed, or something that an admin or the operator did.', [
    'role-given',
    'role-removed',
    'admin-action',
  ]),
  userId: T.Optional(text('The member whose role changed, or the admin; absent for the operator.')),
  userName: T.Optional(text('Their display name on the platform; absent if unknown.')),
  roleId: T.Optional(text('The role that changed.')),
  roleName: T.Optional(text('The role’s current name; absent if the platform does not provide it.')),
  changeSetId: T.Optional(text('The role changes it belongs to.')),
  action: T.Optional(text('What was done, from the closed list of the audit log.')),
  meaning: T.Optional(text('The same in words.')),
  object: T.Optional(ActivityObject),
});
export type ActivityEntry = ValueOf<typeof ActivityEntry>;

/** One row of either log, and the position in both logs when it is shown. */
interface Merged {
  row: { from: 'ledger'; entry: LedgerRow } | { from: 'audit'; entry: AuditRow };
  beforeLedger: string;
  beforeAudit: string;
}

type ActivityContext = Pick<Context, 'actor' | 'clock' | 'db' | 'hosts' | 'keyring' | 'log' | 'random'>;

/** Returns what happened in a community, newest first: role changes and what its admins did. */
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

/** Each log is read by its own ids, which is fast at any depth; only what is shown is merged by time. */
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

/** Within one log the ids decide the order, so that the cursor never skips a later entry with an earlier time. */
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
  const actions = merged.flatMap(({ row }) => (row.from === 'audit' ? [row.entry] : []));
  for (const { target } of actions) if (target !== null && isUserId(target)) userIds.add(target);
  const [members, roles] = await Promise.all([
    selectMembers(ctx.db.system, community.id, [...userIds]),
    hasRoles ? readPlatformRoles(ctx, community) : new Map(),
  ]);
  const names = new Map(members.map(({ user_id, user_name }) => [user_id, user_name ?? undefined]));
  const objects = await findObjects(ctx, community.id, actions, names);
  return merged.map(({ row }) => {
    const { id, at } = row.entry;
    const base = { id: `${row.from}-${id}`, time: at.toISOString() };
    if (row.from === 'audit') {
      const object = objects.get(row.entry.id);
      return {
        ...base,
        kind: 'admin-action',
        ...describeAction(row.entry, names),
        ...(object !== undefined && { object }),
      };
    }
    const { user_id, role_id, change_set_id, action } = row.entry;
    return {
      ...base,
      kind: action === 'grant' ? 'role-given' : 'role-removed',
      userId: user_id,
      userName: names.get(user_id),
      roleId: role_id,
      roleName: roles.get(role_id)?.name,
      changeSetId: change_set_id,
    };
  });
}

function describeAction({ who, action }: AuditRow, names: ReadonlyMap<string, string | undefined>) {
  const meaning = isAuditAction(action) ? auditActions[action] : undefined;
  // Only the operator sees which key or login the operator used.
  return who.startsWith('$') ? { action, meaning } : { userId: who, userName: names.get(who), action, meaning };
}

const ofApps = /^(?:community\.app-|mini-app\.)/;
const ofApplications = /^(?:community\.access-|app\.)/;

type MemberNames = ReadonlyMap<string, string | undefined>;

/** The objects of actions in one community, or outside of all, by entry id. */
export async function findObjects(
  ctx: Pick<Context, 'db'>,
  communityId: string | null,
  actions: readonly AuditRow[],
  members: MemberNames,
): Promise<Map<number, ActivityObject>> {
  const targets = (of: RegExp) =>
    actions.flatMap(({ action, target }) => (of.test(action) && target !== null ? [target] : []));
  const [rules, apps, applications] = await Promise.all([
    communityId === null ? new Map<number, ActivityObject>() : findRules(ctx, communityId, actions),
    namesOfMiniApps(ctx.db.system, targets(ofApps)),
    namesOfApps(ctx.db.system, targets(ofApplications)),
  ]);
  const objectOf = ({ id, action, target }: AuditRow): ActivityObject | undefined => {
    if (action.startsWith('rule.')) return rules.get(id);
    if (target === null) return undefined;
    if (action.startsWith('change-set.')) return { kind: 'change-set', id: target, exists: true };
    if (ofApps.test(action)) return named('app', target, apps.get(target));
    if (ofApplications.test(action)) return named('application', target, applications.get(target)?.name);
    return isUserId(target) ? named('member', target, members.get(target), members.has(target)) : undefined;
  };
  return new Map(
    actions.flatMap((entry) => {
      const object = objectOf(entry);
      return object === undefined ? [] : [[entry.id, object]];
    }),
  );
}

function named(
  kind: ActivityObject['kind'],
  id: string,
  name: string | undefined,
  exists = name !== undefined,
): ActivityObject {
  return { kind, id, exists, ...(name !== undefined && { name }) };
}

export function isUserId(target: string): boolean {
  return target.includes('#USER#');
}

/** A rule change is recorded shortly before the action. The request that creates a rule does not contain its id. */
const ruleChangeSeconds = 30;
const changeOf: Readonly<Record<string, string>> = {
  'rule.create': 'created',
  'rule.change': 'changed',
  'rule.delete': 'removed',
};

async function findRules(
  { db }: Pick<Context, 'db'>,
  communityId: string,
  actions: readonly AuditRow[],
): Promise<Map<number, ActivityObject>> {
  const entries = actions.filter(({ action }) => changeOf[action] !== undefined);
  const times = entries.map(({ at }) => at.getTime());
  if (entries.length === 0) return new Map();
  const [changes, rules] = await Promise.all([
    selectRuleChangesBetween(
      db.system,
      communityId,
      new Date(Math.min(...times) - ruleChangeSeconds * 1000),
      new Date(Math.max(...times)),
    ),
    selectRules(db.system, communityId),
  ]);
  const existing = new Set(rules.map(({ id }) => id));
  return new Map(
    entries.flatMap(({ id, action, target, at }): [number, ActivityObject][] => {
      const change = changes.find(
        (one) =>
          one.action === changeOf[action] &&
          one.changed_at <= at &&
          at.getTime() - one.changed_at.getTime() <= ruleChangeSeconds * 1000 &&
          (action === 'rule.create' || one.rule_id === target),
      );
      const name = change && (change.after ?? change.before)?.definition.name;
      const ruleId = change?.rule_id ?? (action === 'rule.create' ? undefined : (target ?? undefined));
      if (ruleId === undefined) return [];
      const words = typeof name === 'string' && name.trim() !== '' ? name : undefined;
      return [[id, named('rule', ruleId, words, existing.has(ruleId))]];
    }),
  );
}
