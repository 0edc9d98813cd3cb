export {
  startTwitterEmulator,
  type TwitterApp,
  type TwitterEmulator,
  type TwitterOptions,
  type TwitterState,
  type TwitterUser,
} from './twitter.ts';
