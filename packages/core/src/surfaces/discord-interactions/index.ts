import { defineModule } from '../../shared/module.ts';
import { discordInteractionJobs } from './jobs.ts';

export { discordCommands } from './commands.ts';
export { handleInteraction } from './handle-interaction.ts';
export { type InteractionResponse, joinMessage } from './responses.ts';
export { type InteractionRequest, interactionsRoute, serveInteraction } from './serve-interaction.ts';
export { messageFor } from './show-answer.ts';
export { takeDiscordEvent } from './take-event.ts';

export const discordInteractionsModule = defineModule('discord-interactions', { jobs: discordInteractionJobs });
