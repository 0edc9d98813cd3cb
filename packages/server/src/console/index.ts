export { consolePath } from './return-path.ts';
export { addConsole, browserOf, findBrowser, isConsoleCall, isFromElsewhere, sessionCookie } from './routes.ts';
export { createTickets, describeEntrance } from './tickets.ts';
