import { choice, listOf, OpenObject, record, T, text, type ValueOf, wholeNumber } from '@latchkey/kernel';

const account = (what: string) => T.Optional(text(what, { maxLength: 64 }));
const hash = (what: string) => T.Optional(text(what, { maxLength: 64 }));

const readExactly = 'All digits are sent; a client that reads numbers as doubles rounds them.';

export const NearReceipt = record(
  'NearReceipt',
  'A receipt: a request from one account to another, or the result of one.',
  {
    receipt_id: hash('The receipt.'),
    receipt_kind: T.Optional(choice('ACTION requests actions, DATA contains a result.', ['ACTION', 'DATA'] as const)),
    included_in_block_hash: hash('The block it is in.'),
    included_in_block_timestamp: T.Optional(
      wholeNumber(`The time of that block in nanoseconds since 1970. ${readExactly}`),
    ),
    included_in_chunk_hash: hash('The chunk it is in.'),
    index_in_chunk: T.Optional(T.Number({ description: 'Its position in the chunk, from 0.' })),
    originated_from_transaction_hash: hash('The transaction that led to it.'),
    predecessor_account_id: account('The sender.'),
    receiver_account_id: account('The receiver.'),
  },
);
export type NearReceipt = ValueOf<typeof NearReceipt>;

export const nearStatuses = ['FAILURE', 'SUCCESS_RECEIPT_ID', 'SUCCESS_VALUE', 'UNKNOWN'] as const;
export type NearStatus = (typeof nearStatuses)[number];

export const NearTransaction = record('NearTransaction', 'A transaction that an account signed.', {
  transaction_hash: hash('The transaction.'),
  status: T.Optional(
    choice(
      'The status of the transaction itself: SUCCESS_RECEIPT_ID when it was turned into a receipt, FAILURE when it was refused. Receipts have their own status.',
      nearStatuses,
    ),
  ),
  block_timestamp: T.Optional(wholeNumber(`The time of its block in nanoseconds since 1970. ${readExactly}`)),
  converted_into_receipt_id: hash('The receipt it was turned into.'),
  included_in_block_hash: hash('The block it is in.'),
  included_in_chunk_hash: hash('The chunk it is in.'),
  index_in_chunk: T.Optional(T.Number({ description: 'Its position in the chunk, from 0.' })),
  nonce: T.Optional(wholeNumber('The nonce of the transaction.')),
  receipt_conversion_gas_burnt: T.Optional(wholeNumber('The gas spent on turning it into a receipt.')),
  receipt_conversion_tokens_burnt: T.Optional(wholeNumber(`What that cost, in yoctoNEAR. ${readExactly}`)),
  receiver_account_id: account('The receiver.'),
  signature: T.Optional(text('The signature, prefixed with its key type.', { maxLength: 256 })),
  signer_account_id: account('Who signed.'),
  signer_public_key: T.Optional(text('The key that signed.', { maxLength: 256 })),
});
export type NearTransaction = ValueOf<typeof NearTransaction>;

export const FunctionCall = record('FunctionCall', 'A call of a contract method.', {
  method: T.Optional(text('The method.', { maxLength: 256 })),
  args: T.Optional(OpenObject),
  timestamp: T.Optional(wholeNumber(`When, in nanoseconds since 1970. ${readExactly}`)),
  receiptId: hash('The receipt that contains the call.'),
  actionIndex: T.Optional(T.Number({ description: 'Its position among the actions of the receipt, from 0.' })),
  caller: account('Who calls.'),
  contract: account('The contract.'),
});
export type FunctionCall = ValueOf<typeof FunctionCall>;

export const FunctionCalls = listOf(FunctionCall, 'The calls, newest first.');
