import { feature } from '../../shared/feature.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { xAccountOperations } from './operations.ts';

export type { XAccount } from './operations.ts';

export const xAccountFeature = feature('x-account', { resources: [ownOperations(xAccountOperations)] });
