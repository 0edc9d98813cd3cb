import { fieldOf } from '@latchkey/adapter-kit';
import type { NearAction, NearChunkSeen, NearReceiptSeen, NearTransactionSeen } from '@latchkey/core/ports';
import { listOf, numberOf, textOf } from './read-field.ts';

export function readChunk(hash: string, chunk: unknown): NearChunkSeen {
  return {
    hash,
    transactions: listOf(chunk, 'transactions').map(readTransaction),
    receipts: listOf(chunk, 'receipts').flatMap(readReceipt),
  };
}

function readTransaction(given: unknown): NearTransactionSeen {
  return {
    hash: textOf(given, 'hash'),
    signer: textOf(given, 'signer_id'),
    signerKey: textOf(given, 'public_key'),
    receiver: textOf(given, 'receiver_id'),
    nonce: numberOf(given, 'nonce'),
    signature: textOf(given, 'signature'),
    actions: listOf(given, 'actions').map(readAction),
  };
}

/** A receipt that asks for actions or carries data; of other kinds there is nothing to index. */
function readReceipt(given: unknown): NearReceiptSeen[] {
  const body = fieldOf(given, 'receipt');
  const actions = fieldOf(body, 'Action');
  const isData = fieldOf(body, 'Data') !== undefined;
  if (actions === undefined && !isData) return [];
  return [
    {
      id: textOf(given, 'receipt_id'),
      kind: isData ? 'DATA' : 'ACTION',
      predecessor: textOf(given, 'predecessor_id'),
      receiver: textOf(given, 'receiver_id'),
      actions: isData ? [] : listOf(actions, 'actions').map(readAction),
    },
  ];
}

/** An action is a bare word, or an object whose one field is the word. */
function readAction(given: unknown): NearAction {
  if (typeof given === 'string') return { kind: given };
  const [kind = 'Unknown'] = Object.keys(Object(given));
  // A relayed action is wrapped in another; the receipt that comes of it has it bare.
  if (kind !== 'FunctionCall') return { kind };
  const call = fieldOf(given, kind);
  return { kind, method: textOf(call, 'method_name'), args: textOf(call, 'args') };
}
