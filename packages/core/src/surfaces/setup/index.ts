import { feature } from '../../shared/feature.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { setupOperations } from './operations.ts';

export const setupFeature = feature('setup', { resources: [ownOperations(setupOperations)] });
