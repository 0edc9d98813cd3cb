import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { arrivalsErasure } from './forget.ts';
import { arrivalOperations } from './operations.ts';

export const arrivalsFeature = feature('arrivals', {
  resources: [ownOperations(arrivalOperations)],
  erasures: [arrivalsErasure],
  tables: ['bot_arrivals'],
});
