import { choice, record, T, text, texts, type ValueOf } from '@latchkey/kernel';
import { ruleChoices } from './rules.ts';

const count = (description: string) => T.Integer({ description, format: 'int32', minimum: 0, maximum: 1_000_000 });

const PlaygroundMember = record('PlaygroundMember', 'A member of a playground.', {
  name: text('The name on Discord. The reader is called you.'),
  address: text('The address of the wallet on the development chain.'),
  isLinked: T.Boolean({ description: 'Whether the member has linked the wallet.' }),
  keys: count('How many KEY the wallet holds.'),
  coins: text('How many COIN it holds, as a decimal.'),
  badges: count('How many of badge 1 it holds.'),
  roles: texts('The names of the roles that the member has on Discord.'),
});

const PlaygroundRule = record('PlaygroundRule', 'The rule for the role Holder.', {
  choice: choice('Which of the rules to choose from it is.', ruleChoices),
  name: text('Its name, which says what it asks for.'),
  definition: T.Unknown({ description: 'The rule as the API takes it.' }),
});

const PlaygroundChangeSet = record('PlaygroundChangeSet', 'Role changes that were made together.', {
  id: text('Its id.'),
  status: text('Its status, for example held, approved, done, undone or rejected.'),
  grants: count('How many roles it grants.'),
  revokes: count('How many roles it removes.'),
  note: T.Optional(text('Why it is held.')),
  isUndo: T.Boolean({ description: 'Whether it undoes another one.' }),
  canUndo: T.Boolean({ description: 'Whether it can be undone.' }),
});

const PlaygroundEvent = record('PlaygroundEvent', 'Something that happened in a playground.', {
  id: text('Its id.'),
  time: text('When, in ISO 8601.'),
  type: text('The event’s type, as webhooks name it: for example member.role-granted.'),
  member: T.Optional(text('The name of the member that it is about.')),
  role: T.Optional(text('The name of the role that it is about.')),
  reasons: T.Optional(texts('For a role that was granted or removed: why.')),
});

export const Playground = record('Playground', 'A sample community for one reader of the guides.', {
  expiresTime: text('When it ends, in ISO 8601.'),
  isWorking: T.Boolean({ description: 'Whether members are being checked or roles written.' }),
  members: T.Array(PlaygroundMember, { description: 'Its members. The first one is the reader.', maxItems: 20 }),
  rule: PlaygroundRule,
  changeSets: T.Array(PlaygroundChangeSet, { description: 'The newest change sets, newest first.', maxItems: 20 }),
  events: T.Array(PlaygroundEvent, { description: 'The newest events, newest first.', maxItems: 20 }),
});
export type Playground = ValueOf<typeof Playground>;

export const OpenedPlayground = record('OpenedPlayground', 'A new playground.', {
  key: text('Keep this in the browser: it is required to see the playground and to change it.'),
  playground: Playground,
});
export type OpenedPlayground = ValueOf<typeof OpenedPlayground>;

/** What a reader can do. */
export const playgroundActions = [
  'link-wallet',
  'sell-token',
  'buy-token',
  'edit-rule',
  'approve',
  'reject',
  'undo',
  'end',
] as const;
export type PlaygroundAction = (typeof playgroundActions)[number];
