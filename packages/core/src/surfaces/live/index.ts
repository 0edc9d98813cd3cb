import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { liveOperations } from './operations.ts';

export const liveModule = defineModule('live', { resources: [ownOperations(liveOperations)] });
