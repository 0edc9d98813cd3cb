export { eraseAccount } from './erase-account.ts';
export { account } from './operations.ts';
