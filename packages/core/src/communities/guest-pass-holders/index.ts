import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { guestPassHolderOperations } from './operations.ts';

export const guestPassHoldersModule = defineModule('guest-pass-holders', {
  resources: [ownOperations(guestPassHolderOperations)],
});
