import { defineModule } from '../../shared/module.ts';
import { flow } from './operations.ts';

export const flowModule = defineModule('flow', { resources: [flow] });
