export { serverConfig } from './operations.ts';
