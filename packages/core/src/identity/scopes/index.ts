import { defineModule } from '../../shared/module.ts';
import { scopes } from './operations.ts';

export const scopesModule = defineModule('scopes', { resources: [scopes] });
