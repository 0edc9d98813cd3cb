import { feature } from '../../feature.ts';
import { nearIndexer } from './operations.ts';

export const nearIndexerFeature = feature('near-indexer', {
  resources: [nearIndexer],
  tables: [
    'near_index_cursor',
    'near_seen_transactions',
    'near_seen_receipts',
    'near_receipt_origins',
    'near_function_calls',
    'near_call_tokens',
    'near_call_accounts',
    'near_seen_accounts',
    'near_token_accounts',
    'near_token_contracts',
  ],
});
