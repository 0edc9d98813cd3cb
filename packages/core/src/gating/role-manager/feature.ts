import { feature } from '../../feature.ts';
import { roleManager } from './operations.ts';

export const roleManagerFeature = feature('role-manager', { resources: [roleManager] });
