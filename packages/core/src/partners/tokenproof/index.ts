export { tokenproof } from './operations.ts';
