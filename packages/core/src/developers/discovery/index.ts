import { defineModule } from '../../shared/module.ts';
import { discovery } from './operations.ts';

export { describeProvider } from './operations.ts';

export const discoveryModule = defineModule('discovery', { resources: [discovery] });
