import type { SealedColumn } from '../../shared/module.ts';
import { erasurePlace } from './erasure-queries.ts';

/** The sealed column of this module, for master key rotation. */
export const accountSealed: readonly SealedColumn[] = [
  {
    table: 'account_erasures',
    column: 'content',
    idColumns: ['user_id'],
    placeOf: (userId = '') => erasurePlace(userId),
  },
];
