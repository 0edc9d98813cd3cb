import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { operatorKeyOperations } from './operations.ts';

export const operatorKeysModule = defineModule('operator-keys', { resources: [ownOperations(operatorKeyOperations)] });
