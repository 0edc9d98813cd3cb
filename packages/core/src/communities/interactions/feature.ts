import { feature } from '../../feature.ts';

export const interactionsFeature = feature('interactions', { tables: ['community_interactions'] });
