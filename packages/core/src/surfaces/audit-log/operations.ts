import {
  type Actor,
  type AuditAction,
  admin,
  auditActions,
  choice,
  isAuditAction,
  isObject,
  notFound,
  OpenObject,
  op,
  type Page,
  pageOf,
  pageParams,
  principalId,
  record,
  T,
  text,
  thePerson,
  type ValueOf,
} from '@latchkey/kernel';
import { communityAdmin } from '../../communities/access/index.ts';
import { selectCommunity, selectCommunityNames } from '../../communities/community-records/index.ts';
import { findMemberNames } from '../../communities/memberships/index.ts';
import { type AuditFilter, type AuditRow, selectAuditEntries } from '../../services/audit/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import { ActivityObject, findObjects, isUserId } from '../overview/index.ts';

const AuditLogEntry = record(
  'AuditLogEntry',
  'One administrative action on an account, an app, a community or a key.',
  {
    id: text('The id of the entry; later entries have larger ids.'),
    time: text('When it was, in ISO 8601.'),
    who: text('Who did it: a user or an app by its id, or $admin for the operator.'),
    through: text('The source: api, chat, command-line, job, page or start.'),
    action: text('What was done, from a closed list, for example rule.change.'),
    meaning: T.Optional(text('The action in plain words.')),
    subject: T.Optional(text('The account that it is about.')),
    target: T.Optional(text('The id of what it was done to, for example of a rule or a change set.')),
    communityId: T.Optional(text('The qualified id of the community that it is about.')),
    reason: T.Optional(text('The reason that was given.')),
    details: T.Unsafe<Record<string, unknown>>({ ...OpenObject, description: 'What else is on record.' }),
    requestId: T.Optional(text('The x-request-id of the request. Shown to the sender and to the operator.')),
    fromAddress: T.Optional(text('The IP address it came from. Shown to the sender and to the operator.')),
    whoName: T.Optional(text('The name of the user who did it. In the server’s log.')),
    subjectName: T.Optional(text('The name of the account that it is about. In the server’s log.')),
    communityName: T.Optional(text('The name of the community that it is about. In the server’s log.')),
    object: T.Optional(ActivityObject),
  },
);
type AuditLogEntry = ValueOf<typeof AuditLogEntry>;

/**
 * Converts an entry for this caller: the IP address of others, and which key or login the operator used, are not shown.
 */
function toEntry(row: AuditRow, actor: Actor): AuditLogEntry {
  const isOperator = actor.kind === 'admin' || actor.kind === 'system';
  const isOwn = isOperator || row.who === principalId(actor);
  return {
    id: String(row.id),
    time: row.at.toISOString(),
    who: isOperator ? row.who : withoutKeyName(row.who),
    through: row.through,
    action: row.action,
    meaning: isAuditAction(row.action) ? auditActions[row.action] : undefined,
    subject: row.subject ?? undefined,
    target: row.target ?? undefined,
    communityId: row.community_id ?? undefined,
    reason: row.reason ?? undefined,
    details: isObject(row.details) ? row.details : {},
    requestId: isOwn ? (row.request_id ?? undefined) : undefined,
    fromAddress: isOwn ? (row.from_address ?? undefined) : undefined,
  };
}

function withoutKeyName(who: string): string {
  return /^\$(admin|command-line)(\/|$)/.test(who) ? '$admin' : who;
}

const actions: readonly AuditAction[] = Object.keys(auditActions).filter(isAuditAction);
const params = {
  action: T.Optional(choice('Only entries of this action.', actions)),
  ...pageParams,
};
const returns = pageOf(AuditLogEntry, 'AuditLogPage');

export const auditLogOperations = [
  op(
    'GET /latchkey/communities/{communityId}/audit-log',
    {
      id: 'listCommunityAuditLog',
      summary: 'List a community’s audit log',
      description:
        'Returns who changed the community, its admins, rules, mini-apps and change sets, newest first. For community admins, signed in to this server; no scope grants it.',
      access: communityAdmin('communityId'),
      params: {
        communityId: communityParam,
        ...params,
      },
      returns,
      paginated: 'token',
    },
    listCommunityAudit,
  ),
  op(
    'GET /latchkey/account/audit-log',
    {
      id: 'listAccountAuditLog',
      summary: 'List your audit log',
      description:
        'Returns the signed-in user’s actions on accounts, apps, communities and keys, and others’ actions on the account, newest first.',
      access: thePerson,
      params,
      returns,
      paginated: 'token',
    },
    listOwnAudit,
  ),
  op(
    'GET /latchkey/audit-log',
    {
      id: 'listAuditLog',
      summary: 'List the server’s audit log',
      description:
        'Returns everything on record, newest first, with the names of people, communities and what was changed. Filter by action, or by the acting or affected user. For the operator.',
      access: admin(),
      params: {
        userId: T.Optional(text('Only entries of this user, and about them.', { minLength: 1, maxLength: 128 })),
        ...params,
      },
      returns,
      paginated: 'token',
    },
    listAudit,
  ),
] as const;

type AuditRequest = PageRequest & { action?: AuditAction };

/** Returns what was done in a community, by any actor. */
export async function listCommunityAudit(
  ctx: Context,
  { communityId, ...request }: AuditRequest & { communityId: string },
): Promise<Page<AuditLogEntry>> {
  const community = await selectCommunity(ctx.db.system, communityId);
  if (community === undefined) throw notFound('community');
  return readPage(ctx, request, { communityId: community.id });
}

/** Returns what the signed-in person did, and what was done to them. */
export function listOwnAudit(ctx: Context, request: AuditRequest): Promise<Page<AuditLogEntry>> {
  return readPage(ctx, request, { userId: principalId(ctx.actor) });
}

/** Returns every entry, or what one account did and what was done to it, with the names that belong to the ids. */
export function listAudit(
  ctx: Context,
  { userId, ...request }: AuditRequest & { userId?: string },
): Promise<Page<AuditLogEntry>> {
  return readPage(ctx, request, { userId }, findNames);
}

type Names = Pick<AuditLogEntry, 'whoName' | 'subjectName' | 'communityName' | 'object'>;

/** Finds the names of what entries have on record by id alone, by entry. */
async function findNames({ db }: Pick<Context, 'db'>, rows: readonly AuditRow[]): Promise<(row: AuditRow) => Names> {
  const ids = rows.flatMap(({ who, subject, target }) => [who, subject ?? '', target ?? '']);
  const [people, communities] = await Promise.all([
    findMemberNames(db.system, [...new Set(ids.filter(isUserId))]),
    selectCommunityNames(db.system, [...new Set(rows.flatMap(({ community_id }) => community_id ?? []))]),
  ]);
  const byCommunity = [...Map.groupBy(rows, ({ community_id }) => community_id)];
  const found = await Promise.all(byCommunity.map(([id, ofIt]) => findObjects({ db }, id, ofIt, people)));
  const objects = new Map(found.flatMap((ofOne) => [...ofOne]));
  return ({ id, who, subject, community_id }) => ({
    whoName: people.get(who),
    subjectName: people.get(subject ?? ''),
    communityName: communities.get(community_id ?? ''),
    object: objects.get(id),
  });
}

async function readPage(
  ctx: Context,
  { action, ...request }: AuditRequest,
  about: Pick<AuditFilter, 'communityId' | 'userId'>,
  namesIn?: typeof findNames,
): Promise<Page<AuditLogEntry>> {
  const page = await paginate(ctx, request, {
    list: `audit:${JSON.stringify([about.communityId ?? null, about.userId ?? null, action ?? null])}`,
    read: (after, limit) => {
      const beforeId = after === undefined ? undefined : Number(after[0]);
      return selectAuditEntries(ctx.db.system, { ...about, action, beforeId, limit });
    },
    cursorOf: (row) => [String(row.id)],
  });
  const nameOf = await namesIn?.(ctx, page.items);
  return { ...page, items: page.items.map((row) => ({ ...toEntry(row, ctx.actor), ...nameOf?.(row) })) };
}
