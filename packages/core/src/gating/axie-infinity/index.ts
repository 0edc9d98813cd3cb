export { axieInfinity } from './operations.ts';
