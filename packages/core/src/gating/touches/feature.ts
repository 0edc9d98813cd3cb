import { feature } from '../../feature.ts';
import { touchesErasure } from './forget.ts';

export const touchesFeature = feature('touches', { erasures: [touchesErasure], tables: ['role_touches'] });
