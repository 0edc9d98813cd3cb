import { feature } from '../../feature.ts';
import { analytics } from './operations.ts';

export const analyticsFeature = feature('analytics', { resources: [analytics] });
