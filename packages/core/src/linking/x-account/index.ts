import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { xAccountOperations } from './operations.ts';

export type { XAccount } from './operations.ts';

export const xAccountModule = defineModule('x-account', { resources: [ownOperations(xAccountOperations)] });
