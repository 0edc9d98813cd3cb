import { choice, platformNames, record, T, text, type ValueOf } from '@latchkey/kernel';

const standing = {
  state: choice(
    'met. not-met: what you have is not enough. no-account: nothing that you have linked could meet it. unknown: it could not be read, so nothing changes.',
    ['met', 'not-met', 'no-account', 'unknown'] as const,
  ),
  found: T.Optional(text('What was found, as a sentence.', { maxLength: 4096 })),
  account: T.Optional(text('The kind of account to link: evm, solana, twitter and so on.')),
};

const RoleCondition = record('RoleCondition', 'One condition of a rule, and what was found of you.', {
  ...standing,
  need: text('What it needs, in words.', { maxLength: 4096 }),
});

const RoleConditionLine = record('RoleConditionLine', 'A line of a rule’s tree: a group or a condition.', {
  depth: T.Number({ description: 'Its depth in the tree; the parts of a group follow it, one deeper.', minimum: 0 }),
  kind: choice('all, any, none and at-least are groups of the parts that follow. condition: one condition.', [
    'all',
    'any',
    'none',
    'at-least',
    'condition',
  ] as const),
  ...standing,
  count: T.Optional(T.Number({ description: 'How many parts of an at-least group are needed.', minimum: 0 })),
  need: T.Optional(text('What a condition needs, in words.', { maxLength: 4096 })),
  amount: T.Optional(
    record('ConditionAmount', 'How much a condition needs and how much you have, as decimal numbers.', {
      least: text('The least amount that is enough.'),
      most: T.Optional(text('The most that you may have.')),
      have: T.Optional(text('What you have; absent if nothing that could hold it is linked or it could not be read.')),
      unit: text('What is counted, for example CAT on Ethereum.', { maxLength: 256 }),
    }),
  ),
  problem: T.Optional(text('Why it could not be checked.', { maxLength: 4096 })),
  sinceTime: T.Optional(text('Since when members cannot be checked for this rule, in ISO 8601.')),
  link: T.Optional(text('Where the token or the collection can be seen.', { maxLength: 2048 })),
});

const RolePath = record('RoleWay', 'One rule that gives a role. Any rule that is met is enough.', {
  name: T.Optional(text('What the rule is called.', { maxLength: 256 })),
  state: choice('Whether the rule is met.', ['met', 'not-met', 'unknown'] as const),
  need: T.Optional(text('All that the rule needs, in words.', { maxLength: 20_000 })),
  conditions: T.Array(RoleCondition, { description: 'Its conditions, one by one.', maxItems: 1000 }),
  lines: T.Array(RoleConditionLine, {
    description: 'The same conditions as a flattened tree, with the groups that they belong to.',
    maxItems: 2000,
  }),
});

export const MyRole = record('MyRole', 'A role that you have or could have.', {
  roleId: text('The id of the role on the platform.'),
  name: text('What the role is called.', { maxLength: 256 }),
  color: T.Optional(T.Number({ description: 'Its color, as one number of red, green and blue.' })),
  opens: T.Array(text('The name of a channel or group.', { maxLength: 256 }), {
    description: 'What it opens on the chat platform; empty if nothing, or if that is not known.',
    maxItems: 50,
  }),
  has: T.Boolean({ description: 'Whether you have it now.' }),
  state: choice(
    'kept: you have it. coming: you qualify and get it at the next check. going: you have it but no longer qualify. missing: you do not qualify. unknown: something could not be read, so nothing changes.',
    ['kept', 'coming', 'going', 'missing', 'unknown'] as const,
  ),
  isSuppressed: T.Boolean({ description: 'Whether an admin undid a change of it, so that checks leave it alone.' }),
  words: T.Array(text('A sentence.', { maxLength: 20_000 }), {
    description: 'Why, in sentences.',
    maxItems: 20,
  }),
  paths: T.Array(RolePath, { description: 'The rules that give it.', maxItems: 1000 }),
});

export const MyRoles = record('MyRoles', 'Your current roles in one community.', {
  communityId: text('The qualified id of the community.'),
  communityName: text('What the community is called.', { maxLength: 256 }),
  platform: choice('The chat platform.', platformNames),
  link: T.Optional(text('Where the community is reached.', { maxLength: 2048 })),
  wallets: T.Number({ description: 'How many linked wallets count in this community.', minimum: 0 }),
  conditions: T.Number({ description: 'How many conditions were checked.', minimum: 0 }),
  conditionsMet: T.Number({ description: 'How many of them are met.', minimum: 0 }),
  roles: T.Array(MyRole, { description: 'The roles that rules give here.', maxItems: 1000 }),
});
export type MyRoles = ValueOf<typeof MyRoles>;
