export { stakings } from './operations.ts';
