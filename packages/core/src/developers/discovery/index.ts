import { feature } from '../../shared/feature.ts';
import { discovery } from './operations.ts';

export const discoveryFeature = feature('discovery', { resources: [discovery] });
