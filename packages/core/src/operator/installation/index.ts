import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { installationOperations } from './operations.ts';

export const installationModule = defineModule('installation', { resources: [ownOperations(installationOperations)] });
