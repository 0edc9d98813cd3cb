import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { overviewOperations } from './operations.ts';

export const overviewFeature = feature('overview', { resources: [ownOperations(overviewOperations)] });
