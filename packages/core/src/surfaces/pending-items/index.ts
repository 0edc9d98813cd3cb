import { feature } from '../../shared/feature.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { waitingOperations } from './operations.ts';

export const waitingFeature = feature('pending-items', { resources: [ownOperations(waitingOperations)] });
