export {
  startTwitterTwin,
  type TwitterApp,
  type TwitterOptions,
  type TwitterState,
  type TwitterTwin,
  type TwitterUser,
} from './twitter.ts';
