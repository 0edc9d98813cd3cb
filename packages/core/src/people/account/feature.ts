import { feature } from '../../feature.ts';
import { tracesErasure } from './forget.ts';
import { account } from './operations.ts';
import { accountSealed } from './sealed-columns.ts';

export const accountFeature = feature('account', {
  resources: [account],
  sealed: accountSealed,
  erasures: [tracesErasure],
  tables: ['account_erasures'],
});
