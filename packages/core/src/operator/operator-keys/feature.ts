import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { operatorKeyOperations } from './operations.ts';

export const operatorKeysFeature = feature('operator-keys', { resources: [ownOperations(operatorKeyOperations)] });
