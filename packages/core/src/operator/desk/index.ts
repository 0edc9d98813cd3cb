import { feature } from '../../shared/feature.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { deskOperations } from './operations.ts';

export const deskFeature = feature('desk', { resources: [ownOperations(deskOperations)] });
