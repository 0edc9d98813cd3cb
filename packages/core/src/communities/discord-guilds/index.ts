import type { Erasure } from '../../shared/module.ts';
import { defineModule } from '../../shared/module.ts';
import { discordSealed } from './interaction-state.ts';
import { discordJobs, discordSchedules } from './jobs.ts';
import { discord } from './operations.ts';

export type { BotProblem } from './check-bot.ts';
export { allows, channelNames, checkBotConfig, permissionsOf, spaced } from './check-bot.ts';
export { findForwarded, interactionTtlSeconds, keepInteraction, openInteractionByHash } from './interaction-state.ts';
export { holdsOwnButton } from './own-buttons.ts';
export { askDiscord } from './reads.ts';

/** Ends interactions that a person started with a mini-app and that could continue for some minutes. */
const discordErasure: Erasure = {
  columns: ['discord_interactions.user_id'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId }) => {
    await tx.deleteFrom('discord_interactions').where('user_id', '=', userId).execute();
  },
};

export const discordModule = defineModule('discord-guilds', {
  resources: [discord],
  jobs: discordJobs,
  schedules: discordSchedules,
  sealed: discordSealed,
  erasures: [discordErasure],
  tables: ['discord_interactions'],
});
