import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { overviewOperations } from './operations.ts';

export { ActivityObject, findObjects, isUserId } from './activity.ts';

export const overviewModule = defineModule('overview', { resources: [ownOperations(overviewOperations)] });
