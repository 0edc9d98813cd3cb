export { analytics } from './operations.ts';
