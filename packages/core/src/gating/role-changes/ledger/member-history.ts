import {
  auditActions,
  choice,
  isAuditAction,
  op,
  type Page,
  pageOf,
  pageParams,
  record,
  T,
  text,
  type ValueOf,
} from '@latchkey/kernel';
import { communityAdmin, ownCommunity } from '../../../communities/access/index.ts';
import type { CommunityRow } from '../../../communities/community-records/index.ts';
import { selectGrantsOf } from '../../../communities/guest-passes/index.ts';
import { selectCounted, walletTitle } from '../../../identity/wallets/index.ts';
import { type AuditRow, selectAuditEntries } from '../../../services/audit/index.ts';
import { isErased } from '../../../services/erasures/index.ts';
import { communityParam } from '../../../shared/community-id.ts';
import type { Context } from '../../../shared/context.ts';
import { type PageRequest, paginate } from '../../../shared/paging.ts';
import { toLedgerEntry } from '../api/answers.ts';
import { type Names, readNames } from '../api/names.ts';
import { memberKey, momentOf, time, userId } from '../api/params.ts';
import { RoleLedgerEntry, reasonForPeople } from '../api/shapes.ts';
import type { ChangeSetRow, LedgerRow } from '../tables.ts';
import { selectDeciders, selectEntriesAt, selectLedger } from './queries.ts';

const MemberRolesAt = record('MemberRolesAt', 'Which roles a member had at a given time, according to the ledger.', {
  userId: text('The qualified id of the member, for example DIS#USER#123.'),
  userName: T.Optional(text('The member’s display name on the platform; absent if unknown.')),
  time: text('The time in question, in ISO 8601.'),
  roles: T.Array(
    record('MemberRoleAt', 'One role that Latchkey had given or removed by then.', {
      roleId: text('The id of the role on the platform.'),
      roleName: T.Optional(text('The role’s current name; absent if the platform does not provide it.')),
      had: T.Boolean({ description: 'Whether the member had it.' }),
      entry: RoleLedgerEntry,
    }),
    {
      description: 'Every role that Latchkey had given or removed by then. Other roles may have been given manually.',
      maxItems: 1000,
    },
  ),
});
type MemberRolesAt = ValueOf<typeof MemberRolesAt>;

const TimelineEntry = record('TimelineEntry', 'Something that happened to a member.', {
  id: text('The id of the entry within the timeline.'),
  time: text('When it was, in ISO 8601.'),
  kind: choice(
    'role-given and role-taken: by Latchkey. wallet-linked, guest-pass and guest-pass-ended. action: an administrative action by or on the member.',
    ['role-given', 'role-taken', 'wallet-linked', 'guest-pass', 'guest-pass-ended', 'action'] as const,
  ),
  text: text('What happened, in words.', { maxLength: 4096 }),
  by: T.Optional(text('Who decided it; absent if Latchkey did so automatically, or the member did.')),
  changeSetId: T.Optional(text('The change set that it belongs to.')),
  ...reasonForPeople,
  blocks: T.Optional(
    T.Array(
      record('ChainBlock', 'The block that holdings were read at.', {
        chain: text('The chain, for example evm:1.'),
        block: text('The block.'),
      }),
      { description: 'The blocks that were read.', maxItems: 100 },
    ),
  ),
});
type TimelineEntry = ValueOf<typeof TimelineEntry>;

/** How far each source has been read. */
interface Position {
  ledger?: string | undefined;
  audit?: string | undefined;
  note?: string | undefined;
}

type PlacedEvent = MemberEvent & { position: Position };

const mostPasses = 100;

/** Returns what happened to a member, newest first: roles, wallets, guest passes and administrative actions. */
export async function listMemberTimeline(
  ctx: Context,
  { communityId, userId, ...request }: { communityId: string; userId: string } & PageRequest,
): Promise<Page<TimelineEntry>> {
  const community = await ownCommunity(ctx, communityId);
  const member = memberKey(community, userId);
  const page = await paginate(ctx, request, {
    list: `member-timeline:${JSON.stringify([community.id, member])}`,
    read: (after, limit) => readEvents(ctx, community, member, readPosition(after), limit),
    cursorOf: ({ position }) => [position.ledger ?? '', position.audit ?? '', position.note ?? ''],
  });
  return { ...page, items: await describeEvents(ctx, community, member, page.items) };
}

function readPosition(after: readonly string[] | undefined): Position {
  const [ledger, audit, note] = after ?? [];
  return { ledger: ledger || undefined, audit: audit || undefined, note: note || undefined };
}

/** Merges the sources. Each is sorted, so a page ends at one position in each. */
async function readEvents(
  { db: { system } }: Pick<Context, 'db'>,
  { id: communityId }: CommunityRow,
  userId: string,
  from: Position,
  limit: number,
): Promise<PlacedEvent[]> {
  const beforeId = from.audit === undefined ? undefined : Number(from.audit);
  const [ledger, audit, notes] = await Promise.all([
    selectLedger(system, communityId, { userId }, from.ledger, limit),
    selectAuditEntries(system, { communityId, subject: userId, beforeId, limit }),
    readNotes(system, communityId, userId),
  ]);
  const events: MemberEvent[] = [
    ...ledger.map((row) => ({ kind: 'role' as const, at: row.at, id: `role-${row.id}`, row })),
    ...audit.map((row) => ({ kind: 'audit' as const, at: row.at, id: `action-${row.id}`, row })),
    ...notes.filter((note) => from.note === undefined || noteKey(note) < from.note),
  ];
  // The sort is stable: events at the same time keep the order of their source.
  events.sort((a, b) => b.at.getTime() - a.at.getTime());
  let position = from;
  return events.slice(0, limit).map((event) => {
    position = { ...position, ...placeOf(event) };
    return { ...event, position };
  });
}

function placeOf(event: MemberEvent): Position {
  switch (event.kind) {
    case 'role':
      return { ledger: String(event.row.id) };
    case 'audit':
      return { audit: String(event.row.id) };
    default:
      return { note: noteKey(event) };
  }
}

function noteKey({ at, id }: Pick<MemberEvent, 'at' | 'id'>): string {
  return `${at.toISOString()} ${id}`;
}

type Note = Extract<MemberEvent, { kind: 'note' }>;

/** Wallets and guest passes. One member has few, so all of them are read. */
async function readNotes(db: Context['db']['system'], communityId: string, userId: string): Promise<Note[]> {
  const [wallets, passes] = await Promise.all([
    selectCounted(db, communityId, userId),
    selectGrantsOf(db, communityId, userId, mostPasses),
  ]);
  const linked = wallets.map(
    ({ namespace, connected_at }, position): Note => ({
      kind: 'note',
      at: connected_at,
      id: `wallet-${position}`,
      entry: { kind: 'wallet-linked', text: `Linked a wallet (${walletTitle(namespace)})` },
    }),
  );
  const given = passes.flatMap(({ id, name, issued_at, issued_by_id, ended_at }): Note[] => [
    {
      kind: 'note',
      at: issued_at,
      id: `pass-${id}`,
      entry: { kind: 'guest-pass', text: `Got the guest pass “${name}”` },
      by: issued_by_id,
    },
    ...(ended_at === null
      ? []
      : [
          {
            kind: 'note' as const,
            at: ended_at,
            id: `pass-end-${id}`,
            entry: { kind: 'guest-pass-ended' as const, text: `The guest pass “${name}” ended` },
          },
        ]),
  ]);
  return [...linked, ...given].toSorted((a, b) => (noteKey(a) < noteKey(b) ? 1 : -1));
}

/** Describes events, with names in place of ids. */
async function describeEvents(
  ctx: Context,
  community: CommunityRow,
  member: string,
  events: readonly MemberEvent[],
): Promise<TimelineEntry[]> {
  if (events.length === 0) return [];
  const changeSetIds = events.flatMap((event) => (event.kind === 'role' ? [event.row.change_set_id] : []));
  const changeSets = new Map(
    (await selectDeciders(ctx.db.system, changeSetIds)).map((changeSet) => [changeSet.id, changeSet]),
  );
  const people = events.map((event) => personOf(event, changeSets)).filter((person) => person !== undefined);
  const names = await readNames(ctx, community, [member, ...people]);
  return events.map((event) => describe(event, personOf(event, changeSets), member, names));
}

type ChangeSets = ReadonlyMap<string, Pick<ChangeSetRow, 'decided_by'>>;

function personOf(event: MemberEvent, changeSets: ChangeSets): string | undefined {
  switch (event.kind) {
    case 'role':
      return changeSets.get(event.row.change_set_id)?.decided_by ?? undefined;
    case 'audit':
      return event.row.who;
    default:
      return event.by;
  }
}

function describe(event: MemberEvent, person: string | undefined, member: string, names: Names): TimelineEntry {
  const entry = {
    id: event.id,
    time: event.at.toISOString(),
    by: person === undefined || person === member ? undefined : called(person, names),
  };
  switch (event.kind) {
    case 'role': {
      const { row } = event;
      const role = names.roleName(row.role_id) ?? row.role_id;
      const isGiven = row.action === 'grant';
      return {
        ...entry,
        kind: isGiven ? 'role-given' : 'role-taken',
        text: isGiven ? `Got the role ${role}` : `Lost the role ${role}`,
        changeSetId: row.change_set_id,
        ...names.words(row.user_id, row.reason),
        blocks: Object.entries(row.blocks).map(([chain, block]) => ({ chain, block: String(block) })),
      };
    }
    case 'audit':
      return { ...entry, kind: 'action', text: actionInWords(event.row.action), words: [], lines: [] };
    default:
      return { ...entry, ...event.entry, words: [], lines: [] };
  }
}

function called(person: string, names: Names): string {
  if (isErased(person)) return 'a deleted account';
  return names.userName(person) ?? (person.startsWith('$') ? 'the operator' : person.replace(/^[A-Z]+#USER#/, ''));
}

/** An action of the audit log in words. */
function actionInWords(action: string): string {
  return isAuditAction(action) ? auditActions[action].replace(/\.$/, '') : action;
}

/** An event as stored. */
type MemberEvent = { at: Date; id: string } & (
  | { kind: 'role'; row: LedgerRow }
  | { kind: 'audit'; row: AuditRow }
  | { kind: 'note'; entry: Pick<TimelineEntry, 'kind' | 'text'>; by?: string }
);

export const memberHistoryOperations = [
  op(
    'GET /latchkey/communities/{communityId}/members/{userId}/roles-at',
    {
      id: 'listMemberRolesAt',
      summary: 'List a member’s roles at a time',
      description:
        'Returns which roles a member had at a time, each with the entry that gave or removed it: when, in which change set and why. Covers only roles that Latchkey gave and removed, not roles changed manually on the platform. For community admins.',
      access: communityAdmin('communityId', 'role-manager'),
      params: { communityId: communityParam, userId, at: time },
      returns: MemberRolesAt,
    },
    listMemberRolesAt,
  ),
  op(
    'GET /latchkey/communities/{communityId}/members/{userId}/timeline',
    {
      id: 'listMemberTimeline',
      summary: 'List a member’s history',
      description:
        'Returns a member’s history in a community, newest first: roles that Latchkey gave and removed, with reasons, linked wallets, guest passes, and administrative actions. For community admins, signed in to this server; no scope grants it.',
      // Same access as the audit log, since this shows a part of it.
      access: communityAdmin('communityId'),
      params: { communityId: communityParam, userId, ...pageParams },
      returns: pageOf(TimelineEntry, 'TimelinePage'),
      paginated: 'token',
    },
    listMemberTimeline,
  ),
] as const;

/** Returns which roles a member had at a given time, according to the ledger, and why. */
export async function listMemberRolesAt(
  ctx: Context,
  { communityId, userId, at }: { communityId: string; userId: string; at?: string },
): Promise<MemberRolesAt> {
  const community = await ownCommunity(ctx, communityId);
  const member = memberKey(community, userId);
  const moment = at === undefined ? ctx.clock() : momentOf(at);
  const [entries, names] = await Promise.all([
    selectEntriesAt(ctx.db.system, community.id, member, moment),
    readNames(ctx, community, [member]),
  ]);
  return {
    userId: member,
    userName: names.userName(member),
    time: moment.toISOString(),
    roles: entries.map((entry) => ({
      roleId: entry.role_id,
      roleName: names.roleName(entry.role_id),
      had: entry.action === 'grant',
      entry: toLedgerEntry(entry, names),
    })),
  };
}
