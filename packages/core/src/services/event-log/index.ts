import { defineModule } from '../../shared/module.ts';
import { eventLogJobs, eventLogSchedules } from './jobs.ts';
import { eventLogErasure } from './queries.ts';

export { appendEvents, type CommunityEvent } from './append.ts';
export { keptDays } from './jobs.ts';
export type { EventFilter, EventRow } from './queries.ts';
export { endOfLog, type LogPart, listLog, rangeOfLog, readLog, watchLog } from './read.ts';

/** What happened in each community, in order. Webhooks are sent from it, and operations list, stream and replay it. */
export const eventLogModule = defineModule('event-log', {
  jobs: eventLogJobs,
  schedules: eventLogSchedules,
  erasures: [eventLogErasure],
  tables: ['community_events', 'event_streams'],
});
