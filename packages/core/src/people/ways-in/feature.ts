import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { wayInOperations } from './operations.ts';

export const waysInFeature = feature('ways-in', { resources: [ownOperations(wayInOperations)] });
