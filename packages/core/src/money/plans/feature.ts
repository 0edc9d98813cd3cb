import { feature } from '../../feature.ts';

export const plansFeature = feature('plans', { tables: ['plans'] });
