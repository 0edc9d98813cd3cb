import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { directoryOperations } from './operations.ts';

export const directoryModule = defineModule('directory', { resources: [ownOperations(directoryOperations)] });
