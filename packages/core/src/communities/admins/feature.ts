import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { adminOperations } from './operations.ts';

export const adminsFeature = feature('admins', { resources: [ownOperations(adminOperations)] });
