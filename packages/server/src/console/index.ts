export { browserOf, findBrowser } from './browser.ts';
export { isConsoleCall, isFromElsewhere } from './console-calls.ts';
export { consolePath } from './return-path.ts';
export { addConsole } from './routes.ts';
export { sessionCookie } from './session-cookie.ts';
export { createTickets } from './tickets.ts';
