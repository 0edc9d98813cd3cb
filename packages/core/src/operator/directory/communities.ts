import { choice, type Page, type PlatformName, platformNames, record, T, text, type ValueOf } from '@latchkey/kernel';
import { transferCommunity } from '../../communities/admins/index.ts';
import { type CommunityStatus, searchCommunities } from '../../communities/community-records/index.ts';
import { pictureAddresses, withPicture } from '../../communities/pictures/index.ts';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';

export const communityStatuses: readonly CommunityStatus[] = ['active', 'paused', 'kicked'];

export const CommunityEntry = record('CommunityEntry', 'A community, as the operator sees it in a list.', {
  id: text('The qualified id, for example DIS#COMM#123.'),
  name: text('Its name.'),
  picture: T.Optional(text('The path on this server where its picture is; absent if it has none.')),
  platform: choice('The chat platform.', platformNames),
  status: choice('active; paused: no roles change; kicked: the bot was removed.', communityStatuses),
  ownerId: text('The owner; $admin if it has none.'),
  nextCheckTime: T.Optional(text('When its members are re-checked next, in ISO 8601.')),
  createdTime: text('When it was added, in ISO 8601.'),
});
export type CommunityEntry = ValueOf<typeof CommunityEntry>;

export const CommunityTransfer = record('CommunityTransfer', 'The new owner of a community.', {
  userId: text('The new owner, for example DIS#USER#123.', { minLength: 1, maxLength: 128 }),
  reason: T.Optional(text('The reason, for the audit log.', { maxLength: 500 })),
});
export type CommunityTransfer = ValueOf<typeof CommunityTransfer>;

interface CommunitiesRequest extends PageRequest {
  search?: string;
  platform?: PlatformName;
  status?: CommunityStatus;
}

export async function listAllCommunities(
  ctx: Context,
  { search, platform, status, ...request }: CommunitiesRequest,
): Promise<Page<CommunityEntry>> {
  const wanted = { search: search?.trim(), platform, status };
  const page = await paginate(ctx, request, {
    list: `all-communities:${JSON.stringify([search ?? null, platform ?? null, status ?? null])}`,
    read: (after, limit) => searchCommunities(ctx.db.system, wanted, after?.[0], limit),
    cursorOf: ({ id }) => [id],
  });
  const pictures = await pictureAddresses(
    ctx.db.system,
    page.items.map(({ id }) => id),
  );
  return {
    ...page,
    items: page.items.map((row) => ({
      id: row.id,
      name: row.name,
      ...withPicture(pictures, row.id),
      platform: row.platform,
      status: row.status,
      ownerId: row.owner_id,
      ...(row.next_check_at !== null && { nextCheckTime: row.next_check_at.toISOString() }),
      createdTime: row.created_at.toISOString(),
    })),
  };
}

export function transfer(
  ctx: Context,
  { communityId, body }: { communityId: string; body: CommunityTransfer },
): Promise<void> {
  return transferCommunity(ctx, { id: communityId, userId: body.userId });
}
