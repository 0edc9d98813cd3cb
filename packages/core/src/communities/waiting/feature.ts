import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { waitingOperations } from './operations.ts';

export const waitingFeature = feature('waiting', { resources: [ownOperations(waitingOperations)] });
