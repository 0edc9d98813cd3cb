import { feature } from '../../shared/feature.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { treasuryOperations } from './operations.ts';

export const treasuryControlFeature = feature('treasury-control', { resources: [ownOperations(treasuryOperations)] });
