import { feature } from '../../shared/feature.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { deadJobOperations } from './operations.ts';

export const deadJobsFeature = feature('dead-jobs', { resources: [ownOperations(deadJobOperations)] });
