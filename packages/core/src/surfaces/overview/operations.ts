import {
  auditActions,
  choice,
  isAuditAction,
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
  thePerson,
  type ValueOf,
} from '@latchkey/kernel';
import { administeredBy, communityAdmin } from '../../communities/access/index.ts';
import { readPlatformRoles } from '../../communities/community/index.ts';
import { type CommunityRow, listByName, selectCommunity } from '../../communities/community-records/index.ts';
import { countPresent, selectMembers } from '../../communities/memberships/index.ts';
import { pictureAddresses, withPicture } from '../../communities/pictures/index.ts';
import { countRules } from '../../communities/rule-records/index.ts';
import { countWaiting, type LedgerRow, selectLedger } from '../../gating/role-changes/index.ts';
import { type AuditRow, selectAuditEntries } from '../../services/audit/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import { selectSetupProblems } from '../admin-notices/index.ts';
import { CommunityHealth, getCommunityHealth } from './health.ts';

const CommunityProfile = record('CommunityProfile', 'What people know a community by.', {
  communityId: text('The qualified id of the community, for example DIS#COMM#123.'),
  name: text('What people call it.'),
  picture: T.Optional(text('The path on this server where its picture is; absent if it has none.')),
  platform: choice('The chat platform.', platformNames),
});
type CommunityProfile = ValueOf<typeof CommunityProfile>;

export async function getCommunityProfile(
  { db }: Pick<Context, 'db'>,
  { communityId }: { communityId: string },
): Promise<CommunityProfile> {
  const community = await selectCommunity(db.system, communityId);
  if (community === undefined) throw notFound('community');
  const { id, name, platform } = community;
  return { communityId: id, name, ...withPicture(await pictureAddresses(db.system, [id]), id), platform };
}

const ActivityEntry = record('ActivityEntry', 'Something that happened in a community.', {
  id: text('Names the entry.'),
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
});
type ActivityEntry = ValueOf<typeof ActivityEntry>;

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
  // Which key or login the operator used is the operator's.
  return who.startsWith('$') ? { action, meaning } : { userId: who, userName: names.get(who), action, meaning };
}

const count = (description: string) => T.Number({ description, minimum: 0 });

const MyCommunity = record('MyCommunity', 'A community that the signed-in person manages, and what waits in it.', {
  id: text('The qualified id, for example DIS#COMM#123.'),
  name: text('What people call it.'),
  picture: T.Optional(text('The path on this server where its picture is; absent if it has none.')),
  platform: choice('The chat platform.', platformNames),
  status: choice('active; paused by its admins; kicked: the bot was removed.', ['active', 'paused', 'kicked']),
  members: count('How many people are in it, as far as the platform shows them.'),
  rules: count('How many rules it has.'),
  heldChangeSets: count('Role changes that wait for approval.'),
  blockedRoles: count('Roles that the platform does not let the bot give.'),
  setupProblems: T.Array(text('What to do about it.'), {
    description: 'Problems found by the last scheduled setup check.',
    maxItems: 1000,
  }),
});
type MyCommunity = ValueOf<typeof MyCommunity>;

export const overviewOperations = [
  op(
    'GET /latchkey/account/communities',
    {
      id: 'listMyCommunities',
      summary: 'List communities you manage',
      description:
        'Returns the communities that the signed-in person manages, by name, each with its pending items: role changes to approve, blocked roles, and setup problems.',
      access: thePerson,
      params: {
        search: T.Optional(text('Only communities whose name contains this.', { maxLength: 100 })),
        ...pageParams,
      },
      returns: pageOf(MyCommunity, 'MyCommunityPage'),
      paginated: 'token',
    },
    listMyCommunities,
  ),
  op(
    'GET /latchkey/communities/{communityId}/profile',
    {
      id: 'getCommunityProfile',
      summary: 'Get a community’s name and picture',
      description:
        'Returns what people know a community by: its name, its chat platform, and where its picture is on this server. For community admins.',
      access: communityAdmin('communityId', 'community:read'),
      params: { communityId: communityParam },
      returns: CommunityProfile,
    },
    getCommunityProfile,
  ),
  op(
    'GET /latchkey/communities/{communityId}/health',
    {
      id: 'getCommunityHealth',
      summary: 'Get a community’s health',
      description:
        'Returns how a community is doing: known setup problems, the last and the next re-check of all members, how closely the chains of its rules are followed, pending items, and member statistics. The metrics of a community with 5,000 members or more may be up to 30 seconds old. Uses stored data only and calls no external services. For community admins.',
      access: communityAdmin('communityId', 'community:read'),
      params: { communityId: communityParam },
      returns: CommunityHealth,
    },
    getCommunityHealth,
  ),
  op(
    'GET /latchkey/communities/{communityId}/activity',
    {
      id: 'listActivity',
      summary: 'List a community’s activity',
      description:
        'Returns what happened in a community, newest first: roles that were given and removed, and what its admins and the operator did. For community admins, signed in to this server; no scope grants it.',
      access: communityAdmin('communityId'),
      params: { communityId: communityParam, ...pageParams },
      returns: pageOf(ActivityEntry, 'ActivityPage'),
      paginated: 'token',
    },
    listActivity,
  ),
] as const;

/** The communities that the caller manages, by name, each with what waits in it. */
export async function listMyCommunities(
  ctx: Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'random'>,
  { search, ...request }: PageRequest & { search?: string },
): Promise<Page<MyCommunity>> {
  const db = ctx.db.system;
  const adminId = principalId(ctx.actor);
  const words = search?.trim() ?? '';
  const page = await paginate(ctx, request, {
    list: `my-communities:${JSON.stringify(words)}`,
    read: (after, limit) => listByName(db, { filter: administeredBy(adminId), words, after, limit }),
    cursorOf: ({ name, id }) => [name.toLowerCase(), id],
  });
  const ids = page.items.map(({ id }) => id);
  const [members, rules, waiting, problems, pictures] = await Promise.all([
    countPresent(db, ids),
    countRules(db, ids),
    countWaiting(db, ids),
    selectSetupProblems(db, ids),
    pictureAddresses(db, ids),
  ]);
  return {
    ...page,
    items: page.items.map(({ id, name, platform, status }) => ({
      id,
      name,
      ...withPicture(pictures, id),
      platform,
      status,
      members: members.get(id) ?? 0,
      rules: rules.get(id) ?? 0,
      heldChangeSets: waiting.get(id)?.heldChangeSets ?? 0,
      blockedRoles: waiting.get(id)?.blockedRoles ?? 0,
      setupProblems: problems.get(id) ?? [],
    })),
  };
}
