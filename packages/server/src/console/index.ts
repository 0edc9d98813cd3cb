export {
  addConsole,
  browserOf,
  consolePath,
  findBrowser,
  isConsoleCall,
  isFromElsewhere,
  sessionCookie,
} from './routes.ts';
export { createTickets, describeEntrance } from './tickets.ts';
