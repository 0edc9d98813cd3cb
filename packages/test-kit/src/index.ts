export { bound } from './bound.ts';
export { seed, seedNumber } from './seed.ts';
export { until } from './until.ts';
export { volume } from './volume.ts';
