import { feature } from '../../shared/feature.ts';
import { pings } from './operations.ts';

export { answerPings } from './answer.ts';

export const pingFeature = feature('ping', { resources: [pings] });
