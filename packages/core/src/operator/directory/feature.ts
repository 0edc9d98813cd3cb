import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { directoryOperations } from './operations.ts';

export const directoryFeature = feature('directory', { resources: [ownOperations(directoryOperations)] });
