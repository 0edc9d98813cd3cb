import { choice, platformNames, record, T, text, texts, type ValueOf } from '@latchkey/kernel';
import { isUserKey, nativeIdForm } from '../../shared/qualified-ids.ts';
import { Channel, Drop, Quest } from './carried.ts';
import { refuse } from './invalid.ts';
import type { CommunityRow } from './queries.ts';
import { TokenPermissionedChat } from './rule.ts';
import { Stats } from './stats.ts';

/** What the maker of a community decides, and carries no decision of the platform. */
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
  name: T.Optional(text('What people call the community.', { minLength: 1, maxLength: 200 })),
  disableBkgBalCheck: T.Optional(
    T.Boolean({
      description: 'True keeps the schedule away from it: members are checked on events and on demand only.',
    }),
  ),
};

const platform = T.Optional(choice('The chat platform.', platformNames));
const communityId = T.Optional(
  text('The platform’s own id: a guild, a chat, a subreddit.', { pattern: `^${nativeIdForm}$` }),
);
const status = T.Optional(
  choice('Whether its roles are managed: active; paused by its admins; kicked off the platform.', [
    'active',
    'paused',
    'kicked',
  ]),
);

/** Fields that every answer has and no sender decides. */
const settled = {
  createdTime: T.Optional(text('When it was added, in ISO 8601 form.')),
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
  tpcs: T.Optional(T.Array(TokenPermissionedChat, { description: 'Its rules, if asked for.', maxItems: 1000 })),
};

const carried = {
  link: T.Optional(text('Where the community is reached.')),
  channels: T.Optional(T.Array(Channel, { description: 'The channels it shows, if asked for.', maxItems: 500 })),
  quests: T.Optional(T.Array(Quest, { description: 'Its quests, if asked for.', maxItems: 500 })),
  drops: T.Optional(T.Array(Drop, { description: 'Its drops.', maxItems: 500 })),
};

const fields = {
  ...decided,
  ...settled,
  ...carried,
  status,
  adminUserId: T.Optional(text('The user whom members turn to. Shown to its admins.')),
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
  id: T.Optional(text('The platform’s own id of the role.')),
  name: T.Optional(text('What people call the role.')),
  color: T.Optional(T.Number({ description: 'Its color, as the platform counts colors.' })),
});

export const AdministeredCommunity = record('AdministeredCommunity', 'A community that the caller manages.', {
  id,
  ...fields,
  roles: T.Optional(
    T.Array(CommunityRole, {
      description: 'Its roles on the platform; absent if the platform did not answer in time.',
      maxItems: 1000,
    }),
  ),
});
export type AdministeredCommunity = ValueOf<typeof AdministeredCommunity>;

export const CommunityPartial = record(
  'CommunityPartial',
  'What is to change about a community. Fields that only the server sets are not read.',
  { id, ...fields },
);
export type CommunityPartial = ValueOf<typeof CommunityPartial>;

const profileFields = [...Object.keys(profileTexts), 'link'] as const;
export const lists = ['channels', 'quests', 'drops'] as const;

/** The part of a body that is carried along as it was sent. */
export function profileOf(body: CommunityPartial): Record<string, unknown> {
  const names: readonly string[] = [...profileFields, ...lists];
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) => names.includes(name) && value !== undefined),
  );
}

/** The user whom members turn to. It gives no rights, so anybody can be named. */
export function contactOf({ adminUserId }: CommunityPartial): string | undefined {
  if (adminUserId !== undefined && !isUserKey(adminUserId))
    throw refuse('/adminUserId', 'must be the id of a user, for example DIS#USER#123');
  return adminUserId;
}

/** What is known beyond the row itself; each part is left out where it is not meant to be seen. */
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

// Drops are shown whenever there are any; channels and quests to those who ask.
function listsOf(profile: Record<string, unknown>, shown: readonly string[]): Community {
  const asked = lists.filter((name) => name === 'drops' || shown.includes(name));
  return Object.fromEntries(
    asked.flatMap((name) => {
      const list = profile[name] ?? (name === 'drops' ? undefined : []);
      return list === undefined ? [] : [[name, list]];
    }),
  );
}
