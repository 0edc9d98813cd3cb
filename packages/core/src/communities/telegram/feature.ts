import { feature } from '../../feature.ts';
import { telegramErasure } from './forget.ts';
import { telegramJobs } from './jobs.ts';

export const telegramFeature = feature('telegram', { jobs: telegramJobs, erasures: [telegramErasure] });
