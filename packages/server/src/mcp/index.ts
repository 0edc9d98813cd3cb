export { addMcp } from './mount.ts';
