import type { Page } from '@latchkey/kernel';
import type { CommunityRow } from '../../../communities/communities/index.ts';
import { selectGrantsOf } from '../../../communities/guest-passes/index.ts';
import type { Context } from '../../../context.ts';
import { selectAuditEntries } from '../../../machinery/audit/index.ts';
import { type PageRequest, paginate } from '../../../paging.ts';
import { selectCounted, walletTitle } from '../../../people/wallets/index.ts';
import { memberKey } from '../api/params.ts';
import { selectLedger } from '../ledger-queries.ts';
import { ownCommunity } from '../own-plan.ts';
import { describeEvents } from './describe-events.ts';
import type { MemberEvent } from './event.ts';
import type { TimelineEntry } from './shapes.ts';

/** How far each of the sources has been read. */
interface Position {
  ledger?: string | undefined;
  audit?: string | undefined;
  note?: string | undefined;
}

type PlacedEvent = MemberEvent & { position: Position };

const mostPasses = 100;

/** What happened to a member, newest first: roles, wallets, guest passes and what was done in the community. */
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

/** Merges the sources. Each is in its own order, so a page ends at one place in each. */
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
  // Stable, so that what stands at one moment keeps the order of its source.
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

/** Wallets and guest passes: few for one member, so all of them are read. */
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
