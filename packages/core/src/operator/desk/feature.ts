import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { deskOperations } from './operations.ts';

export const deskFeature = feature('desk', { resources: [ownOperations(deskOperations)] });
