import { feature } from '../../shared/feature.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { adminOperations } from './operations.ts';

export const adminsFeature = feature('admins', { resources: [ownOperations(adminOperations)] });
