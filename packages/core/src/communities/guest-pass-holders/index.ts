import { feature } from '../../shared/feature.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { guestPassHolderOperations } from './operations.ts';

export const guestPassHoldersFeature = feature('guest-pass-holders', {
  resources: [ownOperations(guestPassHolderOperations)],
});
