export { discovery } from './operations.ts';
