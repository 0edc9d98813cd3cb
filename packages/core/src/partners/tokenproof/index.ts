import { defineModule } from '../../shared/module.ts';
import { tokenproof } from './operations.ts';

export const tokenproofModule = defineModule('tokenproof', { resources: [tokenproof] });
