import { choice, platformNames, record, T, text, type ValueOf } from '@latchkey/kernel';

const position = (description: string) => T.Optional(T.Number({ description }));

export const SetupCheck = record('SetupCheck', 'One thing the bot needs in a community.', {
  id: text('The id of the check; it stays the same between runs.'),
  subject: choice('What it is about.', ['bot', 'permission', 'role', 'channel', 'account', 'linked-roles']),
  state: choice(
    'ok: in place. broken: roles cannot be given until it is fixed. advised: roles work, something else does not. optional: another way that nothing depends on. unknown: the platform did not respond.',
    ['ok', 'broken', 'advised', 'optional', 'unknown'],
  ),
  title: text('What is checked, in a few words.'),
  reason: text('What the bot needs it for.'),
  remedy: T.Optional(text('What to do about it, in a sentence.')),
  link: T.Optional(text('Where to do it.')),
  canBotCreate: T.Optional(T.Boolean({ description: 'Whether the bot can create it with PUT …/join-message.' })),
  roleId: T.Optional(text('The role it is about.')),
  roleName: T.Optional(text('What that role is called.')),
  rolePosition: position('The position of that role, counted from the bottom.'),
  botRoleName: T.Optional(text('The highest role of the bot.')),
  botRolePosition: position('The position of that role. The bot grants only roles below it.'),
});
export type SetupCheck = ValueOf<typeof SetupCheck>;

const states = ['ready', 'incomplete', 'broken', 'unknown'] as const;

export const CommunitySetup = record('CommunitySetup', 'Whether the bot has what it needs in a community.', {
  communityId: text('The qualified id of the community.'),
  platform: choice('The chat platform.', platformNames),
  state: choice(
    'ready: everything is in place. incomplete: roles work, something else does not. broken: roles cannot be given. unknown: the platform could not be reached.',
    states,
  ),
  checkedTime: text('When it was checked, in ISO 8601.'),
  problem: T.Optional(text('Why the platform could not be reached.')),
  inviteLink: T.Optional(text('Where an admin adds the bot, with the minimum permissions it needs.')),
  checks: T.Array(SetupCheck, { description: 'Everything that was checked, faults first.', maxItems: 1000 }),
});
export type CommunitySetup = ValueOf<typeof CommunitySetup>;

/** What was found on a platform, or why it could not be read. */
export type Findings = { checks: SetupCheck[] } | { problem: string };

const order = ['broken', 'unknown', 'advised', 'ok', 'optional'] as const;

export function stateOf(checks: readonly SetupCheck[]): (typeof states)[number] {
  const has = (state: SetupCheck['state']) => checks.some((check) => check.state === state);
  if (has('broken')) return 'broken';
  if (has('unknown')) return 'unknown';
  return has('advised') ? 'incomplete' : 'ready';
}

export function faultsFirst(checks: readonly SetupCheck[]): SetupCheck[] {
  return checks.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
}
