export const nearIndexTables = [
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
  'near_token_mints',
] as const;
