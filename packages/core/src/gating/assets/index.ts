import { feature } from '../../shared/feature.ts';
import { assets } from './operations.ts';

export const assetsFeature = feature('assets', { resources: [assets] });
