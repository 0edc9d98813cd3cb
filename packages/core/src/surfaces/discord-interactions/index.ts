import { defineModule } from '../../shared/module.ts';
import { discordInteractionJobs } from './jobs.ts';

export { discordCommands, personalCommands } from './commands.ts';
export {
  handleInteraction,
  type InteractionRequest,
  interactionsRoute,
  serveInteraction,
} from './handle-interaction.ts';
export { replacing } from './render.ts';
export { type InteractionResponse, joinMessage, noticeFor } from './responses.ts';
export { takeDiscordEvent } from './take-event.ts';

export const discordInteractionsModule = defineModule('discord-interactions', { jobs: discordInteractionJobs });
