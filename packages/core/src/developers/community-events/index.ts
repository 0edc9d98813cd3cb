import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { communityEventOperations } from './operations.ts';

export const communityEventsModule = defineModule('community-events', {
  resources: [ownOperations(communityEventOperations)],
});
