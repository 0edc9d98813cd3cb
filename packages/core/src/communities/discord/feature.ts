import { feature } from '../../feature.ts';
import { discordErasure } from './forget.ts';
import { discordSealed } from './interaction-state.ts';
import { discordJobs, discordSchedules } from './jobs.ts';
import { discord } from './operations.ts';

export const discordFeature = feature('discord', {
  resources: [discord],
  jobs: discordJobs,
  schedules: discordSchedules,
  sealed: discordSealed,
  erasures: [discordErasure],
  tables: ['discord_interactions'],
});
