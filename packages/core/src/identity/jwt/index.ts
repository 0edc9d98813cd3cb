import { defineModule } from '../../shared/module.ts';
import { jwt } from './operations.ts';

export const jwtModule = defineModule('jwt', { resources: [jwt] });
