import { feature } from '../../feature.ts';
import { flow } from './operations.ts';

export const flowFeature = feature('flow', { resources: [flow] });
