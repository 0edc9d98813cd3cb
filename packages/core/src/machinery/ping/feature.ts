import { feature } from '../../feature.ts';
import { pings } from './operations.ts';

export const pingFeature = feature('ping', { resources: [pings] });
