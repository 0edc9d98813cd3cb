export { createSafes, type SafesOptions } from './create-safes.ts';
