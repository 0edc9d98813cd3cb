export { assets } from './operations.ts';
