import { fieldOf } from '@latchkey/adapter-kit';
import type { NearKey, NearResult } from '@latchkey/core/ports';
import { parseExactJson } from '@latchkey/kernel';

const executed = ['EXECUTED_OPTIMISTIC', 'EXECUTED', 'FINAL'];

/** What became of a transaction; undefined as long as its receipts are not all executed. */
export function readOutcome(answer: unknown): NearResult | undefined {
  const progress = fieldOf(answer, 'final_execution_status');
  const status = fieldOf(answer, 'status');
  // Older nodes do not say how far a transaction has come, and answer only when it is executed.
  if (progress !== undefined && !executed.includes(String(progress))) return undefined;
  const failure = fieldOf(status, 'Failure');
  if (failure !== undefined) return { kind: 'failed', reason: describeFailure(failure) };
  const value = fieldOf(status, 'SuccessValue');
  if (typeof value !== 'string') return undefined;
  return { kind: 'done', value: readJson(Buffer.from(value, 'base64')), logs: logsOf(answer) };
}

function logsOf(answer: unknown): string[] {
  const outcomes = fieldOf(answer, 'receipts_outcome');
  if (!Array.isArray(outcomes)) return [];
  return outcomes.flatMap((item) => {
    const logs = fieldOf(fieldOf(item, 'outcome'), 'logs');
    return Array.isArray(logs) ? logs.filter((line) => typeof line === 'string') : [];
  });
}

/** JSON, or undefined for an answer that is empty or none. Contracts that write amounts as numbers are read exactly. */
export function readJson(bytes: Uint8Array): unknown {
  try {
    return parseExactJson(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}

const maxReasonLength = 300;

/** The one sentence in a failure: what the contract said, or what the chain calls it. */
export function describeFailure(failure: unknown): string {
  const text = JSON.stringify(failure);
  const [, panic] = /Smart contract panicked: ((?:[^"\\]|\\.)*)"/.exec(text) ?? [];
  if (panic !== undefined) return panic.slice(0, maxReasonLength);
  const kind = fieldOf(fieldOf(failure, 'ActionError'), 'kind') ?? fieldOf(failure, 'InvalidTxError') ?? failure;
  return JSON.stringify(kind).slice(0, maxReasonLength);
}

/** The name of the reason why a node did not take a transaction. */
export function invalidReason(detail: unknown): string {
  const invalid = fieldOf(fieldOf(detail, 'TxExecutionError'), 'InvalidTxError');
  if (typeof invalid === 'string') return invalid;
  const [name = 'InvalidTransaction'] = Object.keys(Object(invalid));
  return name;
}

/** What a contract said when it was asked for a view, or `none` when it has no such method. */
export function readViewFailure(detail: unknown): { kind: 'none' } | { kind: 'failed'; reason: string } {
  const text = typeof detail === 'string' ? detail : (JSON.stringify(detail) ?? '');
  if (/MethodNotFound|CodeDoesNotExist|ProhibitedInView/.test(text)) return { kind: 'none' };
  const [, panic] = /(?:Smart contract panicked: |panic_msg: \\?")([^"\\]*)/.exec(text) ?? [];
  return { kind: 'failed', reason: (panic ?? 'The contract failed').slice(0, maxReasonLength) };
}

export function readKeys(answer: unknown): NearKey[] {
  const keys = fieldOf(answer, 'keys');
  if (!Array.isArray(keys)) return [];
  return keys.flatMap((item): NearKey[] => {
    const publicKey = fieldOf(item, 'public_key');
    const access = fieldOf(item, 'access_key');
    const nonce = fieldOf(access, 'nonce');
    if (typeof publicKey !== 'string' || typeof nonce !== 'number') return [];
    const permission = fieldOf(access, 'permission');
    if (permission === 'FullAccess') return [{ publicKey, nonce, only: undefined }];
    const call = fieldOf(permission, 'FunctionCall');
    const methods = fieldOf(call, 'method_names');
    const only = {
      receiverId: String(fieldOf(call, 'receiver_id')),
      methods: Array.isArray(methods) ? methods.map(String) : [],
    };
    return [{ publicKey, nonce, only }];
  });
}
