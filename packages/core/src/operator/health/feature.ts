import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { healthOperations } from './operations.ts';

export const healthFeature = feature('health', { resources: [ownOperations(healthOperations)] });
