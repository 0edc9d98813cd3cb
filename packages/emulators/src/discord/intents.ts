/** The events that a bot can subscribe to, as bits of `intents`. */
export const intents = {
  guilds: 1 << 0,
  members: 1 << 1,
  moderation: 1 << 2,
  integrations: 1 << 4,
  invites: 1 << 6,
  presences: 1 << 8,
  messages: 1 << 9,
  directMessages: 1 << 12,
  messageContent: 1 << 15,
} as const;

/** The intents that are disabled until they are turned on for an application. */
export const privilegedIntents = intents.members | intents.presences | intents.messageContent;
export const knownIntents = (1 << 26) - 1;
