import { defineModule } from '../../shared/module.ts';
import { checkPathJob } from './check-path.ts';

export { checkPath, type PathCheck, type PathStep } from './check-path.ts';

export const pathCheckModule = defineModule('path-check', { jobs: [checkPathJob] });
