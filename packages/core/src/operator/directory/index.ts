import { feature } from '../../shared/feature.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { directoryOperations } from './operations.ts';

export const directoryFeature = feature('directory', { resources: [ownOperations(directoryOperations)] });
