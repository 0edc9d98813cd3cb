import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { arrivalOperations } from './operations.ts';
import { arrivalsErasure } from './queries.ts';

export { forgetArrival, noteArrival } from './queries.ts';

export const arrivalsModule = defineModule('bot-arrivals', {
  resources: [ownOperations(arrivalOperations)],
  erasures: [arrivalsErasure],
  tables: ['bot_arrivals'],
});
