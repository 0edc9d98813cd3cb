import { feature } from '../../shared/feature.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { overviewOperations } from './operations.ts';

export const overviewFeature = feature('overview', { resources: [ownOperations(overviewOperations)] });
