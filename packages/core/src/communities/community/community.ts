import { choice, platformNames, record, T, text, texts, type ValueOf } from '@latchkey/kernel';
import { isUserKey, nativeCommunityForm } from '../../shared/qualified-ids.ts';
import { refuse } from '../../shared/refuse.ts';
import type { CommunityRow } from '../community-records/index.ts';
import { TokenPermissionedChat } from '../rule-records/index.ts';

const count = (description: string) => T.Optional(T.Number({ description }));

/** A channel as existing clients store it with a community. */
export const Channel = record('Channel', 'A channel that a community shows, as its applications described it.', {
  name: T.Optional(text('The name of the channel.')),
  link: T.Optional(text('Where the channel is reached.')),
  tokenAmountToEnter: count('How many tokens a member needs to join.'),
  members: count('How many members it had when it was described.'),
  membersInLastDay: count('How many members were new on that day.'),
  membersDailyGrowth: count('By how much that was more than the day before.'),
  messagesInLastDay: count('How many messages were written on that day.'),
  messagesAllTime: count('How many messages were written altogether.'),
  messagesDailyGrowth: count('By how much that was more than the day before.'),
});

const row = {
  id: T.Optional(text('The id.')),
  createdTime: T.Optional(text('When it was created, in ISO 8601 format.')),
  pk: T.Optional(text('The id of the community.')),
  sk: T.Optional(text('Names it within the community.')),
  classifier: T.Optional(text('What kind of row it is.')),
  classifierGroup: T.Optional(text('What family of rows it belongs to.')),
};

const offer = {
  remaining: count('How many rewards are left.'),
  deadline: count('Until when it runs, in milliseconds since 1970.'),
  communityId: T.Optional(text('The id of the community.')),
  tokenAddress: T.Optional(text('The contract of the token that is given.')),
  cashtag: T.Optional(text('The cashtag of that token.')),
  tokenSymbol: T.Optional(text('The symbol of that token.')),
  createdByName: T.Optional(text('The name of its creator.')),
  createdById: T.Optional(text('The id of its creator.')),
  claimedBy: T.Optional(texts('Who took a reward.')),
  claimedByTime: T.Optional(texts('When they did, in the same order.')),
  link: T.Optional(text('Where it is shown.')),
};

export const Quest = record('Quest', 'A task that a community rewards, as its applications described it.', {
  ...row,
  ...offer,
  name: T.Optional(text('The name of the quest.')),
  description: T.Optional(text('What is to be done.', { maxLength: 4000 })),
  reward: T.Optional(text('How much is given, as a whole number in text.')),
  total: count('How many rewards there are.'),
  stripePaymentIntent: T.Optional(text('The public id of the payment behind it.')),
  published: T.Optional(T.Boolean({ description: 'Whether members see it.' })),
});

export const Drop = record('Drop', 'A gift of tokens to members, as the applications of a community described it.', {
  ...row,
  ...offer,
  title: text('The name of the drop.'),
  reward: text('How much is given, as a whole number in text.'),
  total: T.Number({ description: 'How many rewards there are.' }),
  chainId: T.Optional(text('The chain of the token.')),
});

const metric = (description: string) => T.Optional(T.Number({ description }));

/** The published statistics that are never set here, and why. A zero would be a claim. */
export const absentMetrics = {
  tokenPriceUsd: 'Prices are not read from any market: a price without a named market and time would be a guess.',
  dailyVolume: 'Trades are not read from any market.',
  cashtagTweetsInLastDay: 'Posts on X are not counted: Latchkey reads profiles there, and does not search.',
  cashtagTweetsDailyGrowth: 'Follows from the posts on X, which are not counted.',
  cashtagTweetsPlusMessagesPerDay: 'Follows from the posts on X, which are not counted.',
  myMessageCount: 'Messages are counted for the whole community: who writes how much is not recorded.',
  gripStrength: 'No definition of it was published.',
} as const;

const absent = (name: keyof typeof absentMetrics) => metric(`Not set. ${absentMetrics[name]}`);

/** Every published statistic and its description. */
export const metrics = {
  tokenPriceUsd: absent('tokenPriceUsd'),
  memberCount: metric('How many people are known to be members.'),
  cashtagTweetsInLastDay: absent('cashtagTweetsInLastDay'),
  cashtagTweetsDailyGrowth: absent('cashtagTweetsDailyGrowth'),
  messagesInLastDay: metric('How many messages were counted in the last 24 hours; absent where none was ever counted.'),
  messagesAllTime: metric('How many messages were counted altogether; absent where none was ever counted.'),
  messagesDailyGrowth: metric('By how much the last 24 hours exceed the 24 hours before them.'),
  myMessageCount: absent('myMessageCount'),
  gripStrength: absent('gripStrength'),
  cashtagTweetsPlusMessagesPerDay: absent('cashtagTweetsPlusMessagesPerDay'),
  dailyVolume: absent('dailyVolume'),
};

export const Stats = record('Stats', 'Statistics of a community. Unknown values are absent.', metrics);
export type Stats = ValueOf<typeof Stats>;

/** Fields that the creator of a community chooses freely and that the server does not interpret. */
const profileTexts = {
  serverImage: T.Optional(text('The address of a picture of the community.')),
  welcomeMessage: T.Optional(text('What new members read.', { maxLength: 4000 })),
  network: T.Optional(text('The chain of the community’s own token.')),
  cashtag: T.Optional(text('The cashtag of that token.')),
  tokenAddress: T.Optional(text('The contract of that token.')),
  iconURL: T.Optional(text('The address of its icon.')),
  inviteLink: T.Optional(text('Where people join.')),
};

const decided = {
  ...profileTexts,
  name: T.Optional(text('The name of the community.', { minLength: 1, maxLength: 200 })),
  disableBkgBalCheck: T.Optional(
    T.Boolean({
      description: 'True keeps the schedule away from it: members are checked on events and on demand only.',
    }),
  ),
};

const platform = T.Optional(choice('The chat platform.', platformNames));
const communityId = T.Optional(
  text('The platform’s own id: a guild, a chat, a subreddit.', { pattern: `^${nativeCommunityForm}$` }),
);
const status = T.Optional(
  choice('Whether its roles are managed: active; paused by its admins; kicked off the platform.', [
    'active',
    'paused',
    'kicked',
  ]),
);

/** Fields that every response has and that the sender cannot set. */
const settled = {
  createdTime: T.Optional(text('When it was added, in ISO 8601 format.')),
  pk: T.Optional(text('The id again: the platform and the platform’s own id.')),
  sk: T.Optional(text('Always COMMUNITY.')),
  classifier: T.Optional(text('Always COMMUNITY.')),
  classifierGroup: T.Optional(text('Always COMMUNITY.')),
  communityId,
  platform,
  ownerId: T.Optional(text('The user who owns it.')),
  admins: T.Optional(texts('The users who manage it, its owner among them. Shown to them only.')),
  activePlans: T.Optional(texts('The ids of the plans it is on. Shown to its admins.')),
  stats: T.Optional(Stats),
  tpcs: T.Optional(T.Array(TokenPermissionedChat, { description: 'Its rules, if requested.', maxItems: 1000 })),
};

const carried = {
  link: T.Optional(text('Where the community is reached.')),
  channels: T.Optional(T.Array(Channel, { description: 'The channels it shows, if requested.', maxItems: 500 })),
  quests: T.Optional(T.Array(Quest, { description: 'Its quests, if requested.', maxItems: 500 })),
  drops: T.Optional(T.Array(Drop, { description: 'Its drops.', maxItems: 500 })),
};

const fields = {
  ...decided,
  ...settled,
  ...carried,
  status,
  adminUserId: T.Optional(text('The user that members can contact. Shown to its admins.')),
};

export const NewCommunity = record(
  'NewCommunity',
  'A community to add. The platform and its id are needed. Status, admins, plans, rules and statistics are not read.',
  fields,
);
export type NewCommunity = ValueOf<typeof NewCommunity>;

const id = T.Optional(text('The platform and the platform’s own id, for example DIS#COMM#123.'));

export const Community = record('Community', 'A chat community whose roles are managed here.', { id, ...fields });
export type Community = ValueOf<typeof Community>;

const CommunityRole = record('CommunityRole', 'A role of a community on its platform.', {
  id: text('The platform’s own id of the role.'),
  name: text('The name of the role.'),
  color: T.Optional(T.Number({ description: 'Its color, as the platform represents it.' })),
});

export const AdministeredCommunity = record('AdministeredCommunity', 'A community that the caller manages.', {
  id,
  ...fields,
  roles: T.Optional(
    T.Array(CommunityRole, {
      description: 'Its roles on the platform; absent if the platform timed out.',
      maxItems: 1000,
    }),
  ),
});
export type AdministeredCommunity = ValueOf<typeof AdministeredCommunity>;

export const CommunityPartial = record(
  'CommunityPartial',
  'The changes to a community. Fields that only the server sets are ignored.',
  { id, ...fields },
);
export type CommunityPartial = ValueOf<typeof CommunityPartial>;

const profileFields = [...Object.keys(profileTexts), 'link'] as const;
export const lists = ['channels', 'quests', 'drops'] as const;

/** The part of a body that is stored as sent. */
export function profileOf(body: CommunityPartial): Record<string, unknown> {
  const names: readonly string[] = [...profileFields, ...lists];
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) => names.includes(name) && value !== undefined),
  );
}

/** The user that members can contact. It grants no permissions, so any user can be named. */
export function contactOf({ adminUserId }: CommunityPartial): string | undefined {
  if (adminUserId !== undefined && !isUserKey(adminUserId))
    throw refuse('/adminUserId', 'must be the id of a user, for example DIS#USER#123');
  return adminUserId;
}

/** What is known beyond the row itself; each part is omitted if the caller may not see it. */
export interface Extras {
  adminIds?: readonly string[];
  planIds?: readonly string[];
  rules?: TokenPermissionedChat[];
  lists?: readonly string[];
}

export function toCommunity(row: CommunityRow, extras: Extras = {}): Community {
  const { adminIds, planIds, rules, lists: shown = [] } = extras;
  return {
    ...textsOf(row.profile),
    ...listsOf(row.profile, shown),
    id: row.id,
    pk: row.id,
    sk: 'COMMUNITY',
    classifier: 'COMMUNITY',
    classifierGroup: 'COMMUNITY',
    name: row.name,
    status: row.status,
    platform: row.platform,
    communityId: row.community_id,
    ownerId: row.owner_id,
    disableBkgBalCheck: row.disable_background_checks,
    createdTime: row.created_at.toISOString(),
    ...(adminIds !== undefined && { admins: [...adminIds], adminUserId: row.admin_user_id ?? undefined }),
    ...(planIds !== undefined && { activePlans: [...planIds] }),
    ...(rules !== undefined && { tpcs: rules }),
  };
}

function textsOf(profile: Record<string, unknown>): Community {
  return Object.fromEntries(Object.entries(profile).filter(([name]) => profileFields.includes(name)));
}

// Drops are always included; channels and quests on request.
function listsOf(profile: Record<string, unknown>, shown: readonly string[]): Community {
  const requested = lists.filter((name) => name === 'drops' || shown.includes(name));
  return Object.fromEntries(
    requested.flatMap((name) => {
      const list = profile[name] ?? (name === 'drops' ? undefined : []);
      return list === undefined ? [] : [[name, list]];
    }),
  );
}
