import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { catalogOperations } from './catalog-operations.ts';

export const plansFeature = feature('plans', { resources: [ownOperations(catalogOperations)], tables: ['plans'] });
