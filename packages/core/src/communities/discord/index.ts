export { askDiscord, guildOf } from './ask-discord.ts';
export { type BotProblem, botProblems } from './bot-config.ts';
export { channelNames, checkBotConfig, inviteLinkOf } from './check-bot-config.ts';
export { discordFeature } from './feature.ts';
export {
  findForwarded,
  interactionTtlSeconds,
  keepInteraction,
  openInteraction,
  openInteractionByHash,
} from './interaction-state.ts';
export { holdsOwnButton } from './own-buttons.ts';
