import { feature } from '../../feature.ts';
import { supportTicketsErasure } from './forget.ts';
import { supportTicketJobs } from './jobs.ts';
import { supportTickets } from './operations.ts';

export const supportTicketsFeature = feature('support-tickets', {
  resources: [supportTickets],
  jobs: supportTicketJobs,
  erasures: [supportTicketsErasure],
  tables: ['support_requesters', 'support_tickets'],
});
