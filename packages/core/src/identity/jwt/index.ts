import { feature } from '../../shared/feature.ts';
import { jwt } from './operations.ts';

export const jwtFeature = feature('jwt', { resources: [jwt] });
