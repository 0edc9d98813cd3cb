export { decideTicket, type TicketDecision, ticketDecisions } from './decide.ts';
export { supportTicketsErasure } from './forget.ts';
export { supportTicketJobs } from './jobs.ts';
export { listTickets } from './list.ts';
export { supportTickets } from './operations.ts';
