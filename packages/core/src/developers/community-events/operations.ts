import {
  AppError,
  choice,
  type EventType,
  events,
  inHeader,
  isEventType,
  type KeptFeed,
  keptEventsOf,
  notFound,
  OpenObject,
  op,
  type Page,
  pageOf,
  pageParams,
  record,
  T,
  text,
  type ValueOf,
} from '@latchkey/kernel';
import { communityReader, getReadableCommunity, ownCommunity } from '../../communities/access/index.ts';
import { ownApp, ownerOfClientApp } from '../../identity/client-apps/index.ts';
import {
  type EventRow,
  endOfLog,
  keptDays,
  listLog,
  rangeOfLog,
  readLog,
  watchLog,
} from '../../services/event-log/index.ts';
import { maxReplayed, sendWritten } from '../../services/webhooks/index.ts';
import { communityIdField, communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import { refuse } from '../../shared/refuse.ts';

const gap = 'events.removed';
const eventTypes = Object.keys(events).filter(isEventType);

const CommunityEvent = record('CommunityEvent', 'Something that happened in a community.', {
  id: text('The id of the event, which is also the `webhook-id` of the webhooks that send it.'),
  position: text('The position of the event in the log of its community. Send the last one as `after` to resume.'),
  type: choice(`What happened. \`${gap}\`, in streams only: events before this position were removed.`, [
    ...eventTypes,
    gap,
  ]),
  timestamp: text('When it happened.', { format: 'date-time' }),
  data: T.Unsafe<Record<string, unknown>>(
    Object.assign({ ...OpenObject }, { description: 'The ids of what it is about. They differ by type.' }),
  ),
});
type CommunityEvent = ValueOf<typeof CommunityEvent>;

const maxSeconds = 60 * 60;
const batchSize = 100;
const position = { pattern: '^[0-9]{1,15}$', maxLength: 15 };

const time = (description: string) => T.Optional(text(description, { format: 'date-time', maxLength: 64 }));

const EventReplay = record('EventReplay', 'Which events to send again.', {
  communityId: communityIdField('The community, for example DIS#COMM#123. You must own it.'),
  eventId: T.Optional(text('Only this event.', { maxLength: 64 })),
  since: time('Only what happened since then, as an ISO 8601 time.'),
  until: time('Only what happened until then, as an ISO 8601 time.'),
  after: T.Optional(text('Only events after this position: the `lastPosition` of the response before.', position)),
});

const EventReplayResult = record('EventReplayResult', 'Which events are sent again.', {
  sent: T.Integer({ description: 'How many events are sent.', format: 'int32', minimum: 0, maximum: maxReplayed }),
  lastPosition: text('The position of the last one.'),
  hasMore: T.Boolean({ description: 'Whether there are more; repeat the request with `after` to send them.' }),
});

const about = `Events are kept for ${keptDays} days. Events of one member or rule are in the order in which they happened. For community admins, and for applications of admins or with access to the community.`;

export const communityEventOperations = [
  op(
    'GET /latchkey/communities/{communityId}/events',
    {
      id: 'listCommunityEvents',
      summary: 'List a community’s events',
      description: `Returns what happened in the community, newest first. ${about}`,
      access: communityReader('communityId', 'community:read'),
      params: {
        communityId: communityParam,
        type: T.Optional(choice('Only events of this type.', eventTypes)),
        userId: T.Optional(text('Only events about this member, for example DIS#USER#123.', { maxLength: 256 })),
        ...pageParams,
      },
      returns: pageOf(CommunityEvent, 'CommunityEventPage'),
      paginated: 'token',
    },
    listCommunityEvents,
  ),
  op(
    'GET /latchkey/communities/{communityId}/event-stream',
    {
      id: 'streamCommunityEvents',
      summary: 'Stream a community’s events',
      description: `Sends what happens in the community as server-sent events, at least once each. Clients resume after a disconnect with \`Last-Event-ID\`, as \`EventSource\` does by itself. If events after that id were removed meanwhile, an event of the type \`${gap}\` comes first. A comment is sent every 20 seconds; the stream ends within that time after the caller loses access. At most 20 streams per caller and process can be open. ${about}`,
      access: communityReader('communityId', 'community:read'),
      params: {
        communityId: communityParam,
        after: T.Optional(
          text('The position to start after: 0 for the oldest event. Defaults to new events only.', position),
        ),
        seconds: T.Optional(
          T.Integer({
            description: 'The number of seconds after which the stream ends; the caller then reconnects.',
            format: 'int32',
            minimum: 0,
            maximum: maxSeconds,
            default: maxSeconds,
          }),
        ),
        'Last-Event-ID': T.Optional(
          inHeader(text('The id of the last event that was received. It is used instead of `after`.', position)),
        ),
      },
      returns: keptEventsOf(CommunityEvent),
    },
    streamCommunityEvents,
  ),
  op(
    'POST /latchkey/client-apps/{id}/events/replay',
    {
      id: 'replayEvents',
      summary: 'Replay a community’s events',
      description: `Sends events of one of your communities to the webhook of one of your client applications, oldest first, at most ${maxReplayed}: one by its id, or those of a time range. It also sends events that were delivered before, that the webhook does not subscribe to, or that happened before there was a webhook. The \`webhook-id\` stays the same.`,
      access: ownApp('id'),
      params: { id: T.String({ description: 'The client id.', minLength: 1, maxLength: 128 }) },
      body: EventReplay,
      returns: EventReplayResult,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'VALIDATION_FAILED'],
    },
    replayEvents,
  ),
] as const;

export async function replayEvents(
  ctx: Context,
  { id: clientId, body }: { id: string; body: ValueOf<typeof EventReplay> },
): Promise<ValueOf<typeof EventReplayResult>> {
  const { eventId, after = '0' } = body;
  const [since, until] = [readTime('since', body.since), readTime('until', body.until)];
  if (eventId === undefined && since === undefined)
    throw refuse('/since', 'is required unless eventId names one event', 'required');
  const community = await ownCommunity(ctx, body.communityId);
  if ((await ownerOfClientApp(ctx, clientId)) !== community.owner_id)
    throw new AppError('STATE_CONFLICT', 'Only applications of the community’s owner receive its events.');
  const range = { id: eventId, since, until, after: Number(after) };
  const rows = await rangeOfLog(ctx, community.id, { ...range, limit: maxReplayed + 1 });
  if (rows.length === 0 && eventId !== undefined) throw notFound('event');
  const sent = rows.slice(0, maxReplayed);
  await sendWritten(
    ctx,
    { clientId, ownerId: community.owner_id },
    sent.map(({ id, type, body: text, created_at }) => ({ id, type, body: text, createdAt: created_at })),
  );
  return {
    sent: sent.length,
    lastPosition: String(sent.at(-1)?.position ?? after),
    hasMore: rows.length > sent.length,
  };
}

function readTime(name: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw refuse(`/${name}`, 'must be an ISO 8601 time such as 2026-01-31T12:00:00Z', 'date-time');
  return time;
}

export async function listCommunityEvents(
  ctx: Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'random'>,
  { communityId, type, userId, ...page }: PageRequest & { communityId: string; type?: EventType; userId?: string },
): Promise<Page<CommunityEvent>> {
  const { id } = await getReadableCommunity(ctx, communityId);
  const { items, ...rest } = await paginate(ctx, page, {
    list: JSON.stringify(['community-events', id, type, userId]),
    read: (after, limit) =>
      listLog(ctx, id, { type, memberId: userId, before: after === undefined ? undefined : Number(after[0]), limit }),
    cursorOf: (row) => [String(row.position)],
  });
  return { items: items.map(toEvent), ...rest };
}

interface StreamRequest {
  communityId: string;
  after?: string;
  seconds?: number;
  'Last-Event-ID'?: string;
}

export async function streamCommunityEvents(
  ctx: Pick<Context, 'actor' | 'bus' | 'clock' | 'db'>,
  { communityId, after, seconds = maxSeconds, 'Last-Event-ID': lastId }: StreamRequest,
): Promise<KeptFeed<CommunityEvent>> {
  const { id } = await getReadableCommunity(ctx, communityId);
  const end = await endOfLog(ctx, id);
  const wanted = Number(lastId ?? after ?? end);
  // A position of the future is from before a backup was restored.
  let isGapKnown = wanted > end;
  return {
    ttlSeconds: seconds,
    start: String(isGapKnown ? 0 : wanted),
    watch: (hear) => watchLog(ctx, id, hear),
    read: async (from) => {
      const { events: rows, next, hasGap } = await readLog(ctx, id, { after: Number(from), limit: batchSize });
      const found = rows.map((row) => ({ id: String(row.position), event: toEvent(row) }));
      const isReported = hasGap || isGapKnown;
      isGapKnown = false;
      if (!isReported) return { events: found, next: String(next) };
      const before = String((rows[0]?.position ?? next + 1) - 1);
      const report: CommunityEvent = {
        id: `${gap}:${before}`,
        position: before,
        type: gap,
        timestamp: ctx.clock().toISOString(),
        data: { communityId: id },
      };
      return { events: [{ id: before, event: report }, ...found], next: String(next) };
    },
  };
}

function toEvent({ id, position: place, body }: EventRow): CommunityEvent {
  const { type, timestamp, data } = JSON.parse(body) as Pick<CommunityEvent, 'type' | 'timestamp' | 'data'>;
  return { id, position: String(place), type, timestamp, data };
}
