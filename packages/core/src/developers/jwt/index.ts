export { jwt } from './operations.ts';
