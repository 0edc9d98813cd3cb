import { feature } from '../../shared/feature.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { operatorKeyOperations } from './operations.ts';

export const operatorKeysFeature = feature('operator-keys', { resources: [ownOperations(operatorKeyOperations)] });
