import { feature } from '../../shared/feature.ts';
import { applyGrantJob } from './apply-grant.ts';

export const guestRolesFeature = feature('guest-roles', { jobs: [applyGrantJob] });
