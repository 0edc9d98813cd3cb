import { feature } from '../../shared/feature.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { installationOperations } from './operations.ts';

export const installationFeature = feature('installation', { resources: [ownOperations(installationOperations)] });
