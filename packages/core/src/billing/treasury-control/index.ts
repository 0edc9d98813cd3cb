import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { treasuryOperations } from './operations.ts';

export const treasuryControlModule = defineModule('treasury-control', {
  resources: [ownOperations(treasuryOperations)],
});
