import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { arrivalsErasure } from './forget.ts';
import { arrivalOperations } from './operations.ts';

export { forgetArrival, noteArrival } from './note-arrival.ts';

export const arrivalsModule = defineModule('bot-arrivals', {
  resources: [ownOperations(arrivalOperations)],
  erasures: [arrivalsErasure],
  tables: ['bot_arrivals'],
});
