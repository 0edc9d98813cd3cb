export { roleManager } from './operations.ts';
