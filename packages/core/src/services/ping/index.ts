import { defineModule } from '../../shared/module.ts';
import { pings } from './operations.ts';

export { answerPings } from './operations.ts';

export const pingModule = defineModule('ping', { resources: [pings] });
