import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { healthOperations } from './operations.ts';

export { readStateMetrics, type StateMetric } from './metrics.ts';
export { checkHealth } from './operations.ts';
export { scrapeMetrics } from './scrape.ts';

export const healthModule = defineModule('health', { resources: [ownOperations(healthOperations)] });
