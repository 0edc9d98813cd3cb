import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { xAccountOperations } from './operations.ts';

export const xAccountFeature = feature('x-account', { resources: [ownOperations(xAccountOperations)] });
