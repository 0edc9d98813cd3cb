export { askDiscord, guildOf } from './ask-discord.ts';
export { type BotProblem, botProblems } from './bot-config.ts';
export { channelNames, inviteLinkOf } from './check-bot-config.ts';
export {
  discordSealed,
  interactionTtlSeconds,
  keepInteraction,
  openInteraction,
  openInteractionByHash,
} from './interaction-state.ts';
export { discordJobs, discordSchedules } from './jobs.ts';
export { discord } from './operations.ts';
