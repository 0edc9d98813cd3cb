import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { treasuryOperations } from './operations.ts';

export const treasuryControlFeature = feature('treasury-control', { resources: [ownOperations(treasuryOperations)] });
