import { defineModule } from '../../shared/module.ts';
import { serverConfig } from './operations.ts';

export const serverConfigModule = defineModule('server-config', { resources: [serverConfig] });
