import { feature } from '../../feature.ts';
import { spendingErasure } from './forget.ts';

export const spendingFeature = feature('spending', { erasures: [spendingErasure], tables: ['spendings'] });
