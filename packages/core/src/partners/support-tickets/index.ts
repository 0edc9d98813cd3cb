import { defineModule } from '../../shared/module.ts';
import { supportTicketJobs } from './jobs.ts';
import { supportTickets } from './operations.ts';
import { supportTicketsErasure } from './queries.ts';

export { decideTicket, type TicketDecision, ticketDecisions } from './decide.ts';
export { listTickets } from './list.ts';
export { shownOwn } from './own-desk.ts';
export { selectFolder, type TicketFolder } from './queries.ts';

export const supportTicketsModule = defineModule('support-tickets', {
  resources: [supportTickets],
  jobs: supportTicketJobs,
  erasures: [supportTicketsErasure],
  tables: ['support_requesters', 'support_tickets'],
});
