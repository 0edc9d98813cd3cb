import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { deadJobOperations } from './operations.ts';

export const deadJobsFeature = feature('dead-jobs', { resources: [ownOperations(deadJobOperations)] });
