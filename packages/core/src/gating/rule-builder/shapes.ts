import { choice, OpenObject, record, T, text, texts, type ValueOf } from '@latchkey/kernel';
import { NewTokenPermissionedChat, ruleVisibilities } from '../../communities/rule-records/index.ts';
import { RuleHealth } from '../rule-health/index.ts';

const count = (description: string) => T.Number({ description, minimum: 0 });
const longText = (description: string) => text(description, { maxLength: 100_000 });

export const visibility = choice(
  'How much members can see. public: everything. secret: only that there is a condition. hidden: nothing.',
  ruleVisibilities,
);

/** A rule that is being built. Problems are reported in the response, not rejected by the schema. */
export const draft = T.Unsafe<Record<string, unknown>>({
  ...OpenObject,
  description: 'The rule, as it would be saved.',
});

const role = {
  roleId: text('The id of the role on the platform.'),
  roleName: T.Optional(text('The role’s current name; absent if the platform does not provide it.')),
  roleColor: T.Optional(T.Number({ description: 'The role’s color, as the platform’s integer.' })),
};

const summary = {
  id: text('The id of the rule within the community.'),
  name: T.Optional(text('The name of the rule.')),
  description: T.Optional(text('What the rule is for.', { maxLength: 2000 })),
  ...role,
  roleState: choice(
    'missing: the role was deleted on the platform, so the rule is broken until you choose another. unknown: the platform did not respond.',
    ['there', 'missing', 'unknown'] as const,
  ),
  sentence: longText('What the rule asks for, in one sentence.'),
  problem: T.Optional(longText('Why the rule cannot be evaluated; absent when it can.')),
  holders: count(
    'How many members have the role, by this rule or otherwise. How many meet this rule is in its health.',
  ),
  heldRemovals: count('How many members’ removals are waiting for an admin’s approval.'),
  blocked: T.Optional(
    longText('What prevents the role from being given or removed, and what to change on the platform.'),
  ),
  health: RuleHealth,
  visibility,
  createdTime: text('When the rule was created, in ISO 8601.'),
  updatedTime: text('When it was last changed, in ISO 8601.'),
};

export const RuleSummary = record('RuleSummary', 'A rule in a list, with the status of its role.', summary);
export type RuleSummary = ValueOf<typeof RuleSummary>;

export const RuleDetails = record('RuleDetails', 'A rule, with the status of its role.', {
  ...summary,
  rule: draft,
});
export type RuleDetails = ValueOf<typeof RuleDetails>;

export const NewRule = record('NewRule', 'A rule to create.', {
  rule: NewTokenPermissionedChat,
  visibility: T.Optional(visibility),
});

export const ChangedRule = record('ChangedRule', 'The new version of a rule.', {
  rule: NewTokenPermissionedChat,
  visibility: T.Optional(visibility),
  updatedTime: T.Optional(
    text('The updatedTime of the version you edited. If someone has changed the rule since, nothing is saved.', {
      maxLength: 40,
    }),
  ),
});

export const SavedRule = record('SavedRule', 'A rule that was saved.', {
  id: text('The id of the rule within the community.'),
  updatedTime: text('When it was saved, in ISO 8601.'),
});
export type SavedRule = ValueOf<typeof SavedRule>;

export const RuleVersion = record('RuleVersion', 'A rule as it was at one moment.', {
  sentence: longText('What it asked for, in one sentence.'),
  visibility,
  rule: draft,
});

export const RuleChange = record('RuleChange', 'One change to a rule.', {
  id: text('The id of the change; later changes have larger ids.'),
  action: choice('What was done.', ['created', 'changed', 'removed'] as const),
  changedBy: text('Who did it: the qualified id of a user, or the name of the operator’s key.'),
  changedByName: T.Optional(text('Their display name on the platform; absent if unknown.')),
  changedTime: text('When that was, in ISO 8601.'),
  before: T.Optional(RuleVersion),
  after: T.Optional(RuleVersion),
});
export type RuleChange = ValueOf<typeof RuleChange>;

export const DraftDescription = record('DraftDescription', 'What a draft rule means and costs to check.', {
  sentence: T.Optional(longText('The rule in one sentence; absent while it cannot be read.')),
  isPartial: T.Optional(
    T.Boolean({
      description: 'True if the chat platform did not return its roles in time. Try again in a few seconds.',
    }),
  ),
  problems: T.Array(
    record('DraftProblem', 'Something that prevents the rule from being saved.', {
      path: text('Where in the rule, as a JSON Pointer.', { maxLength: 4096 }),
      message: longText('What is wrong, and what to do.'),
    }),
    { description: 'Empty when the rule can be saved.', maxItems: 1000 },
  ),
  warnings: texts(
    'Warnings: these can be saved, but may not do what you expect. Includes rules and conditions that are proven to have no effect.',
    { maxLength: 4096 },
  ),
  effects: T.Optional(
    texts('With ruleId: whether members can gain or lose the role by this change, proven or with an example.', {
      maxLength: 4096,
    }),
  ),
  reads: T.Optional(
    count('How many reads of chains and services a check of one member takes at most, with one wallet on each chain.'),
  ),
});
export type DraftDescription = ValueOf<typeof DraftDescription>;

export const DraftTrial = record('DraftTrial', 'The result of a draft rule for a wallet or a member.', {
  qualifies: T.Optional(T.Boolean({ description: 'Absent when something could not be read.' })),
  reason: T.Unsafe<Record<string, unknown>>({
    ...OpenObject,
    description:
      'Why, as a tree: each node has truth (true, false or unknown), text (what is needed) and, where known, found; groups have kind and parts.',
  }),
});
export type DraftTrial = ValueOf<typeof DraftTrial>;

const outcomes = ['gains', 'loses', 'unknown'] as const;

export const DraftPreview = record('DraftPreview', 'What saving a draft rule would change. Nothing was changed.', {
  checked: count('How many members were checked.'),
  isWhole: T.Boolean({ description: 'Whether every member was checked; in very large communities only some are.' }),
  gains: count('How many members would get a role.'),
  loses: count('How many members would lose a role.'),
  unknown: count('How many members stay unchanged because something could not be read.'),
  keeps: count('How many members have the role and keep it.'),
  isHeld: T.Boolean({ description: 'Whether the removals would wait for an admin’s approval.' }),
  people: T.Array(
    record('PreviewedMember', 'A member whose roles would change or could not be read.', {
      userId: text('The qualified id of the member.'),
      userName: T.Optional(text('The member’s display name on the platform; absent if unknown.')),
      ...role,
      outcome: choice('What would happen.', outcomes),
    }),
    { description: 'Up to 100 members of each outcome, members who lose a role first.', maxItems: 300 },
  ),
});
export type DraftPreview = ValueOf<typeof DraftPreview>;

export const RuleRole = record('RuleRole', 'A role of the community on its platform.', {
  id: text('The id of the role on the platform.'),
  name: text('What the role is called.'),
  color: T.Optional(T.Number({ description: 'Its color, as the platform’s integer.' })),
  holders: count('How many members have it.'),
  fault: T.Optional(longText('Why rules cannot give it, and what to change; absent when they can.')),
});
export type RuleRole = ValueOf<typeof RuleRole>;

export const FoundToken = record('FoundToken', 'A token that rules can ask about.', {
  type: text('The kind of rule that asks about it, for example ERC721.'),
  chainId: T.Optional(T.Number({ description: 'The chain id, for rules that use one.' })),
  chainName: text('The name of the chain.'),
  contractAddress: T.Optional(text('The contract or mint; on EVM chains in lower case.')),
  collectionName: T.Optional(text('The collection, for rule types that use its name.')),
  eventId: T.Optional(text('The event, for attendance tokens.')),
  tokenId: T.Optional(text('The token id from the link.')),
  name: T.Optional(text('The contract’s name.')),
  symbol: T.Optional(text('Its symbol.')),
  decimals: T.Optional(T.Number({ description: 'How many decimals an amount has.' })),
  holders: T.Optional(count('How many members hold it; absent if their wallets were not read for it.')),
});
export type FoundToken = ValueOf<typeof FoundToken>;

export const TokenSearch = record('TokenSearch', 'Tokens that were found.', {
  tokens: T.Array(FoundToken, { description: 'Best match first, at most 50.', maxItems: 50 }),
  note: T.Optional(longText('Why nothing was found, or what did not respond.')),
});
export type TokenSearch = ValueOf<typeof TokenSearch>;

export const TokenPicture = record('TokenPicture', 'The picture of a collection.', {
  picture: T.Optional(
    text('The picture as a data: URL; absent if the collection has none that can be shown.', { maxLength: 800_000 }),
  ),
});
export type TokenPicture = ValueOf<typeof TokenPicture>;
