export { decideTicket, type TicketDecision, ticketDecisions } from './decide.ts';
export { supportTicketsFeature } from './feature.ts';
export { listTickets } from './list.ts';
