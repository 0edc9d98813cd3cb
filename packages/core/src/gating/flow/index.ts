export { flow } from './operations.ts';
