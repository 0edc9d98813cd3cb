import { feature } from '../../feature.ts';
import { telegramErasure } from './forget.ts';
import { telegramJobs, telegramSchedules } from './jobs.ts';
import { telegramSealed } from './sessions.ts';

export const telegramFeature = feature('telegram', {
  jobs: telegramJobs,
  schedules: telegramSchedules,
  sealed: telegramSealed,
  erasures: [telegramErasure],
  tables: ['telegram_sessions', 'telegram_updates'],
});
