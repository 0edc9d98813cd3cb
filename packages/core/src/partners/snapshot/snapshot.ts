import { record, T, text, texts, type ValueOf } from '@latchkey/kernel';
import type { LinkRow } from './queries.ts';

const channelIds = { pattern: '^-?[0-9]{1,20}$', maxLength: 21 };
/** ENS names, and ids that hubs give out themselves, such as s:example.eth. */
export const spacePattern = '^[A-Za-z0-9._:-]{1,100}$';

const channels = T.Optional(
  texts(
    'The Discord ids of the channels that proposals are posted to. A Telegram group is one channel: its own id, or none to post nothing.',
    channelIds,
  ),
);

export const SnapshotLink = record('Snapshot', 'A space of Snapshot that a community follows.', {
  id: T.Optional(text('The id of the link.')),
  createdTime: T.Optional(text('When it was created.', { maxLength: 64 })),
  pk: T.Optional(text('The id of the community.')),
  sk: T.Optional(text('SNAPSHOT# and the space.')),
  classifier: T.Optional(text('Always SNAPSHOT.')),
  classifierGroup: T.Optional(text('Always SNAPSHOT.')),
  channels,
  space: text('The id of the space, for example example.eth.'),
});
export type SnapshotLink = ValueOf<typeof SnapshotLink>;

export const SnapshotCreate = record('SnapshotCreate', 'A space to follow.', {
  channels,
  space: text('The id of the space, for example example.eth.', { pattern: spacePattern, maxLength: 100 }),
});
export type SnapshotCreate = ValueOf<typeof SnapshotCreate>;

export const SnapshotUpdate = record('SnapshotUpdate', 'Which channels proposals are posted to.', { channels });
export type SnapshotUpdate = ValueOf<typeof SnapshotUpdate>;

/** What can happen to a proposal, as Snapshot calls it. */
export const snapshotEvents = ['proposal/created', 'proposal/start', 'proposal/end', 'proposal/deleted'] as const;
export type SnapshotEventName = (typeof snapshotEvents)[number];

export function isSnapshotEvent(name: string): name is SnapshotEventName {
  return (snapshotEvents as readonly string[]).includes(name);
}

export const SnapshotEvent = record('SnapshotEvent', 'What Snapshot sends when something happens to a proposal.', {
  id: text('proposal/ and the id of the proposal.', { pattern: '^proposal/[!-~]{1,200}$', maxLength: 220 }),
  event: text('What happened: proposal/created, proposal/start, proposal/end or proposal/deleted.', { maxLength: 64 }),
  space: text('The space of the proposal.', { maxLength: 100 }),
  token: text('Sent by Snapshot; ignored.', { maxLength: 256 }),
  secret: text('Sent by Snapshot; ignored.', { maxLength: 256 }),
  expire: T.Number({ description: 'When it happened, in seconds since 1970.', minimum: 0, maximum: 1e11 }),
});
export type SnapshotEvent = ValueOf<typeof SnapshotEvent>;

export function toLink(row: LinkRow): SnapshotLink {
  const sk = `SNAPSHOT#${row.space}`;
  return {
    id: `${row.community_id}:${sk}`,
    createdTime: row.created_at.toISOString(),
    pk: row.community_id,
    sk,
    classifier: 'SNAPSHOT',
    classifierGroup: 'SNAPSHOT',
    channels: row.channel_ids,
    space: row.space,
  };
}
