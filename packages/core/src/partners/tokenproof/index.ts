import { feature } from '../../shared/feature.ts';
import { tokenproof } from './operations.ts';

export const tokenproofFeature = feature('tokenproof', { resources: [tokenproof] });
