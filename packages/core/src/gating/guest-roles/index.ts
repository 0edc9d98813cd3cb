import { defineModule } from '../../shared/module.ts';
import { applyGrantJob } from './apply-grant.ts';

export const guestRolesModule = defineModule('guest-roles', { jobs: [applyGrantJob] });
