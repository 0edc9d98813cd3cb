import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { installationOperations } from './operations.ts';

export const installationFeature = feature('installation', { resources: [ownOperations(installationOperations)] });
