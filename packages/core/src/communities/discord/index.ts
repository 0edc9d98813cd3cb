export { askDiscord, guildOf } from './ask-discord.ts';
export { type BotProblem, botProblems } from './bot-config.ts';
export { channelNames, inviteLinkOf } from './check-bot-config.ts';
export { discordErasure } from './forget.ts';
export {
  discordSealed,
  findForwarded,
  interactionTtlSeconds,
  keepInteraction,
  openInteraction,
  openInteractionByHash,
} from './interaction-state.ts';
export { discordJobs, discordSchedules } from './jobs.ts';
export { discord } from './operations.ts';
export { holdsOwnButton } from './own-buttons.ts';
