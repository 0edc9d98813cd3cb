import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { guestPassHolderOperations } from './operations.ts';

export const guestPassHoldersFeature = feature('guest-pass-holders', {
  resources: [ownOperations(guestPassHolderOperations)],
});
