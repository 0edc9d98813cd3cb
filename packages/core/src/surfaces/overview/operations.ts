import {
  choice,
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
import { listByName, selectCommunity } from '../../communities/community-records/index.ts';
import { countPresent } from '../../communities/memberships/index.ts';
import { pictureAddresses, withPicture } from '../../communities/pictures/index.ts';
import { countRules } from '../../communities/rule-records/index.ts';
import { countWaiting } from '../../gating/role-changes/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import { selectSetupProblems } from '../admin-notices/index.ts';
import { ActivityEntry, listActivity } from './activity.ts';
import { CommunityHealth, getCommunityHealth } from './health.ts';

const CommunityProfile = record('CommunityProfile', 'What people know a community by.', {
  communityId: text('The qualified id of the community, for example DIS#COMM#123.'),
  name: text('The name of the community.'),
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

const count = (description: string) => T.Number({ description, minimum: 0 });

const MyCommunity = record('MyCommunity', 'A community that the signed-in person manages, and what waits in it.', {
  id: text('The qualified id, for example DIS#COMM#123.'),
  name: text('The name of the community.'),
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
        'Returns what happened in a community, newest first: roles that were given and removed, and what its admins and the operator did, with the rule, member or app that they did it to. For community admins, signed in to this server; no scope grants it.',
      access: communityAdmin('communityId'),
      params: { communityId: communityParam, ...pageParams },
      returns: pageOf(ActivityEntry, 'ActivityPage'),
      paginated: 'token',
    },
    listActivity,
  ),
] as const;

/** Returns the communities that the caller manages, by name, each with its pending items. */
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
