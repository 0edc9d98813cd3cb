import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { liveOperations } from './operations.ts';

export const liveFeature = feature('live', { resources: [ownOperations(liveOperations)] });
