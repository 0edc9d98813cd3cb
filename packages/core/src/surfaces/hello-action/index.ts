import { defineModule } from '../../shared/module.ts';
import { helloAction } from './operations.ts';

export const helloActionModule = defineModule('hello-action', { resources: [helloAction] });
