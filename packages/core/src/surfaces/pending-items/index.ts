import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { waitingOperations } from './operations.ts';

export const waitingModule = defineModule('pending-items', { resources: [ownOperations(waitingOperations)] });
