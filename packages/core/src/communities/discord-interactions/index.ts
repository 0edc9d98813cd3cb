import { answerInteraction } from './answer-later.ts';

export { discordCommands } from './commands.ts';
export { handleInteraction } from './handle-interaction.ts';
export type { InteractionResponse } from './responses.ts';
export { type InteractionRequest, interactionsRoute, serveInteraction } from './serve-interaction.ts';
export { takeDiscordEvent } from './take-event.ts';
export const discordInteractionJobs = [answerInteraction] as const;
