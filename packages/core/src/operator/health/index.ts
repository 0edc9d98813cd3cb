export { checkHealth } from './check.ts';
export { healthFeature } from './feature.ts';
export { readStateFigures, type StateFigure } from './figures.ts';
