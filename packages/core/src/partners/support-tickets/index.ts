export { decideTicket, type TicketDecision, ticketDecisions } from './decide.ts';
export { supportTicketsFeature } from './feature.ts';
export { listTickets } from './list.ts';
export { shownOwn } from './own-desk.ts';
export { selectFolder, type TicketFolder } from './queries.ts';
