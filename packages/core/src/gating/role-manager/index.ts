import { feature } from '../../shared/feature.ts';
import { roleManager } from './operations.ts';

export const roleManagerFeature = feature('role-manager', { resources: [roleManager] });
