export { startTwitterTwin, type TwitterState, type TwitterTwin, type TwitterUser } from './twitter.ts';
