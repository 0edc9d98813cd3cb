import { feature } from '../../feature.ts';
import { discordInteractionJobs } from './jobs.ts';

export const discordInteractionsFeature = feature('discord-interactions', { jobs: discordInteractionJobs });
