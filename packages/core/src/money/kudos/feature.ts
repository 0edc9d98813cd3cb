import { feature } from '../../feature.ts';
import { kudosErasure } from './forget.ts';
import { kudos } from './operations.ts';

export const kudosFeature = feature('kudos', { resources: [kudos], erasures: [kudosErasure], tables: ['kudos'] });
