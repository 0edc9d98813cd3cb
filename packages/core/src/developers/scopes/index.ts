export { scopes } from './operations.ts';
