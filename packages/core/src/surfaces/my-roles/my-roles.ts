import { choice, platformNames, record, T, text, type ValueOf } from '@latchkey/kernel';

const RoleCondition = record('RoleCondition', 'One condition of a rule, and what was found of you.', {
  state: choice(
    'met. not-met: what you have is not enough. no-account: nothing that you have linked could meet it. unknown: it could not be read, so nothing changes.',
    ['met', 'not-met', 'no-account', 'unknown'] as const,
  ),
  need: text('What it needs, in words.', { maxLength: 4096 }),
  found: T.Optional(text('What was found, as a sentence.', { maxLength: 4096 })),
  account: T.Optional(text('The kind of account to link: evm, solana, twitter and so on.')),
});

const RolePath = record('RoleWay', 'One rule that gives a role. Any rule that is met is enough.', {
  name: T.Optional(text('What the rule is called.', { maxLength: 256 })),
  state: choice('Whether the rule is met.', ['met', 'not-met', 'unknown'] as const),
  need: T.Optional(text('All that the rule needs, in words.', { maxLength: 20_000 })),
  conditions: T.Array(RoleCondition, { description: 'Its conditions, one by one.', maxItems: 1000 }),
});

const MyRole = record('MyRole', 'A role that you have or could have.', {
  roleId: text('The id of the role on the platform.'),
  name: text('What the role is called.', { maxLength: 256 }),
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

const count = (description: string) => T.Number({ description, minimum: 0 });

export const MyRoleCheck = record('MyRoleCheck', 'How far a check of your roles has come.', {
  isWaiting: T.Boolean({ description: 'Whether the check is still to be made.' }),
  waiting: count('How many of your roles wait to be written.'),
  held: count('How many of your roles wait for an admin’s approval.'),
  given: count('How many roles you were given since `since`.'),
  taken: count('How many roles were removed since `since`.'),
  failed: count('How many changes the chat platform has refused since `since`.'),
  since: text('From when on changes are counted, in ISO 8601.'),
});
export type MyRoleCheck = ValueOf<typeof MyRoleCheck>;
