import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { setupOperations } from './operations.ts';

export const setupFeature = feature('setup', { resources: [ownOperations(setupOperations)] });
