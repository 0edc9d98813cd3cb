export { helloAction } from './operations.ts';
