import {
  addSeconds,
  chatPlatforms,
  choice,
  op,
  platformNames,
  principalId,
  record,
  T,
  text,
  thePerson,
  type ValueOf,
} from '@latchkey/kernel';
import type { PlatformName } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { inParallel } from '../../shared/in-parallel.ts';
import { communityKey, nativeUserId } from '../../shared/qualified-ids.ts';
import { askAdminStatus } from '../access/index.ts';
import { selectWithBot } from '../community-records/index.ts';
import { type ArrivalRow, selectArrivals } from './queries.ts';

const Arrival = record('Arrival', 'A server that the bot has joined but that has not been added yet.', {
  id: text('Its qualified community id, for example DIS#COMM#123.'),
  platform: choice('The chat platform.', platformNames),
  communityId: text('The platform’s own id.'),
  name: text('Its name.'),
  arrivedTime: text('When the bot was first seen in it, in ISO 8601.'),
});
type Arrival = ValueOf<typeof Arrival>;

const ArrivalList = record('ArrivalList', 'Servers that the signed-in user can add.', {
  items: T.Array(Arrival, { description: 'The servers, newest first.', maxItems: 100 }),
  problem: T.Optional(text('Why some may be missing, if the platform did not return all of them.')),
});
type ArrivalList = ValueOf<typeof ArrivalList>;

/** Each one costs a bot API call, which all communities share. */
const mostAsked = 10;
const requestsAtOnce = 4;
const mostOwned = 50;
/** For servers that another user owns, only recent arrivals are checked. */
const recentSeconds = 24 * 60 * 60;

/** Returns the servers that the bot is in, that the caller manages there, and that have not been added here yet. */
export async function listArrivals(
  ctx: Pick<Context, 'actor' | 'clock' | 'db' | 'hosts'>,
  _input: Record<never, never>,
): Promise<ArrivalList> {
  const userId = principalId(ctx.actor);
  const platform = platformNames.find((name) => nativeUserId(name, userId) !== undefined);
  if (platform === undefined) return { items: [] };
  const since = addSeconds(ctx.clock(), -recentSeconds);
  const owned = await selectArrivals(ctx.db.system, platform, { ownerId: userId }, mostOwned);
  const recent = await selectArrivals(ctx.db.system, platform, { since }, mostOwned);
  const others = recent.filter(({ owner_id }) => owner_id !== userId).slice(0, mostAsked);
  const requested = await inParallel(await unadded(ctx, others), requestsAtOnce, async (row) => ({
    row,
    status: await askAdminStatus(ctx, { platform, communityId: row.community_id }, userId),
  }));
  const managed = requested.filter(({ status }) => status.kind === 'yes').map(({ row }) => row);
  const isSilent = requested.some(({ status }) => status.kind === 'unknown' && status.cause?.kind === 'unavailable');
  return {
    items: [...(await unadded(ctx, owned)), ...managed]
      .toSorted((a, b) => b.arrived_at.getTime() - a.arrived_at.getTime())
      .map(toArrival),
    ...(isSilent && { problem: silent(platform) }),
  };
}

async function unadded({ db }: Pick<Context, 'db'>, rows: readonly ArrivalRow[]): Promise<ArrivalRow[]> {
  const added = await selectWithBot(db.system, rows.map(idOf));
  return rows.filter((row) => !added.has(idOf(row)));
}

function idOf({ platform, community_id }: ArrivalRow): string {
  return communityKey(platform, community_id);
}

function toArrival(row: ArrivalRow): Arrival {
  return {
    id: idOf(row),
    platform: row.platform,
    communityId: row.community_id,
    name: row.name,
    arrivedTime: row.arrived_at.toISOString(),
  };
}

function silent(platform: PlatformName): string {
  return `${chatPlatforms[platform].title} did not return the servers you manage. Some may be missing; try again in a minute.`;
}

export const arrivalOperations = [
  op(
    'GET /latchkey/account/arrivals',
    {
      id: 'listArrivals',
      summary: 'List servers the bot joined',
      description:
        'Returns the servers that the bot has joined, that the signed-in user manages on the chat platform, and that have not been added yet. Add one with `POST /communities`. Servers owned by others are included if the bot joined them in the last 24 hours.',
      access: thePerson,
      returns: ArrivalList,
    },
    listArrivals,
  ),
] as const;
