import { defineModule } from '../../shared/module.ts';
import { assets } from './operations.ts';

export const assetsModule = defineModule('assets', { resources: [assets] });
