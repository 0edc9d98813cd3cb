import { record, T, text, type ValueOf } from '@latchkey/kernel';

const BotConfigError = record('BotConfigError', 'One thing that keeps the bot from its work.', {
  code: T.Optional(text('One of the codes in docs/discord.md; they do not change.')),
  action: T.Optional(text('What to do about it, in a sentence.')),
  link: T.Optional(text('Where to do it.')),
  details: T.Optional(
    T.Any({ description: 'The permission, role or channel it is about, and whether it is critical.' }),
  ),
});
export type BotConfigError = ValueOf<typeof BotConfigError>;

export const BotConfigValidationResponse = record(
  'BotConfigValidationResponse',
  'What is right and wrong with the bot in a Discord server.',
  {
    status: T.Optional(text('valid; incomplete when something is missing; invalid when roles cannot be given.')),
    errors: T.Optional(T.Array(BotConfigError, { description: 'Everything that was found.', maxItems: 1000 })),
  },
);
export type BotConfigValidationResponse = ValueOf<typeof BotConfigValidationResponse>;

/** What can be wrong with the bot in a server. */
export const botProblems = {
  BOT_NOT_IN_SERVER: 'The bot is not in the server.',
  MISSING_PERMISSION: 'The bot lacks a permission.',
  ROLE_ABOVE_BOT: 'A role of a rule is above the highest role of the bot.',
  ROLE_MANAGED: 'A role of a rule belongs to an integration.',
  ROLE_RULING: 'A role of a rule lets its holders rule over others, so it is not given.',
  ROLE_EVERYONE: 'A rule names @everyone, which nobody can give or take.',
  ROLE_MISSING: 'A role of a rule is not in the server any more.',
  CHANNEL_MISSING: 'A channel that the bot uses is not there.',
  CHANNEL_CLOSED: 'The bot cannot see or write in a channel that it uses.',
} as const;

export type BotProblem = keyof typeof botProblems;
