import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { deadJobOperations } from './operations.ts';

export const deadJobsModule = defineModule('dead-jobs', { resources: [ownOperations(deadJobOperations)] });
