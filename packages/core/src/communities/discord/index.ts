export { askDiscord } from './ask-discord.ts';
export type { BotProblem } from './bot-config.ts';
export { channelNames, checkBotConfig } from './check-bot-config.ts';
export { discordFeature } from './feature.ts';
export { findForwarded, interactionTtlSeconds, keepInteraction, openInteractionByHash } from './interaction-state.ts';
export { allows, permissionsOf, spaced } from './judge-bot.ts';
export { holdsOwnButton } from './own-buttons.ts';
