import { feature } from '../../shared/feature.ts';
import { axieInfinity } from './operations.ts';

export const axieInfinityFeature = feature('axie-infinity', { resources: [axieInfinity] });
