import { feature } from '../../shared/feature.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { liveOperations } from './operations.ts';

export const liveFeature = feature('live', { resources: [ownOperations(liveOperations)] });
