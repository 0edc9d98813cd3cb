import { feature } from '../../shared/feature.ts';
import { flow } from './operations.ts';

export const flowFeature = feature('flow', { resources: [flow] });
