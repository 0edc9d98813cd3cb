import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { consoleSessionOperations } from './console-session-operations.ts';
import { wayInOperations } from './operations.ts';

export const waysInFeature = feature('ways-in', {
  resources: [ownOperations(consoleSessionOperations), ownOperations(wayInOperations)],
});
