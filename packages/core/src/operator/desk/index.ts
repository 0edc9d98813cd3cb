import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { deskOperations } from './operations.ts';

export const deskModule = defineModule('desk', { resources: [ownOperations(deskOperations)] });
