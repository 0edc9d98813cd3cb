import { feature } from '../../shared/feature.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { healthOperations } from './operations.ts';

export { readStateFigures, type StateFigure } from './figures.ts';
export { checkHealth } from './operations.ts';

export const healthFeature = feature('health', { resources: [ownOperations(healthOperations)] });
