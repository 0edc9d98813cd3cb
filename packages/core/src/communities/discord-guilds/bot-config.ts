import { record, T, text, type ValueOf } from '@latchkey/kernel';

const BotConfigError = record('BotConfigError', 'A problem that keeps the bot from working.', {
  code: T.Optional(text('One of the stable codes in docs/discord.md.')),
  action: T.Optional(text('What to do about it, in a sentence.')),
  link: T.Optional(text('Where to do it.')),
  details: T.Optional(
    T.Any({ description: 'The permission, role or channel it is about, and whether it is critical.' }),
  ),
});
export type BotConfigError = ValueOf<typeof BotConfigError>;

export const BotConfigValidationResponse = record(
  'BotConfigValidationResponse',
  'The status of the bot in a Discord server.',
  {
    status: T.Optional(text('valid; incomplete if something is missing; invalid if roles cannot be granted.')),
    errors: T.Optional(T.Array(BotConfigError, { description: 'Everything that was found.', maxItems: 1000 })),
  },
);
export type BotConfigValidationResponse = ValueOf<typeof BotConfigValidationResponse>;

/** Problems that the bot can have in a server. */
export const botProblems = {
  BOT_NOT_IN_SERVER: 'The bot is not in the server.',
  MISSING_PERMISSION: 'The bot lacks a permission.',
  ROLE_ABOVE_BOT: 'A role used by a rule is above the bot’s highest role.',
  ROLE_MANAGED: 'A role used by a rule belongs to an integration.',
  ROLE_RULING: 'A role used by a rule has privileged permissions, so it is not granted.',
  ROLE_EVERYONE: 'A rule uses @everyone, which cannot be granted or removed.',
  ROLE_MISSING: 'A role used by a rule no longer exists in the server.',
  CHANNEL_MISSING: 'A channel that the bot uses is missing.',
  CHANNEL_CLOSED: 'The bot cannot see or write in a channel that it uses.',
} as const;

export type BotProblem = keyof typeof botProblems;
