import { fieldOf } from '@latchkey/adapter-kit';
import {
  type Near,
  type NearDraft,
  type NearKey,
  type NearLookUp,
  type NearResult,
  type NearSending,
  type NearSetup,
  type NearSigned,
  type NearStep,
  NearUnavailable,
  type NearView,
} from '@latchkey/core/ports';
import { parseExactJson } from '@latchkey/kernel';
import { sha256 } from '@noble/hashes/sha2.js';
import { base58 } from '@scure/base';
import {
  type Action,
  actions,
  baseDecode,
  baseEncode,
  createTransaction,
  decodeSignedTransaction,
  KeyPairSigner,
  KeyType,
  PublicKey,
  Signature,
  SignedTransaction,
  type Transaction,
} from 'near-api-js';
import { verifyEd25519 } from '../../ed25519.ts';
import { type AskNear, createAskNear, NearRefusal, type NearRpcOptions } from '../blocks/ask-near.ts';
import { hashSignMessage } from '../signed-bytes.ts';

export interface NearLedgerOptions extends NearRpcOptions {
  network: string;
  account: { id: string; secretKey: string };
  setup: NearSetup;
}

const accountForm = /^(?=.{2,64}$)(([a-z\d]+[-_])*[a-z\d]+\.)*([a-z\d]+[-_])*[a-z\d]+$/;

/** Creates a client of a NEAR network over the JSON-RPC of its nodes. near-api-js encodes and signs transactions. */
export async function createNear(options: NearLedgerOptions): Promise<Near> {
  const { network, account, setup } = options;
  const ask = createAskNear(options);
  const signer = createSigner(account.secretKey);
  const query = (params: object) => read(ask, 'query', { finality: 'final', ...params });
  const lookUp = createLookUp(ask);
  return {
    network,
    account: { id: account.id, publicKey: await signer.publicKey },
    setup,
    isAccountId: (text) => accountForm.test(text),
    isPublicKey: (text) => readPublicKey(text) !== undefined,
    view: (contractId, method, args) => view(ask, { contractId, method, args }),
    findAccount: async (accountId) => {
      const found = await orAbsent(query({ request_type: 'view_account', account_id: accountId }));
      const amount = fieldOf(found, 'amount');
      return typeof amount === 'string' ? { yocto: BigInt(amount) } : undefined;
    },
    keysOf: async (accountId) =>
      readKeys(await orAbsent(query({ request_type: 'view_access_key_list', account_id: accountId }))),
    finalBlockHash: async () => {
      const hash = fieldOf(fieldOf(await read(ask, 'block', { finality: 'final' }), 'header'), 'hash');
      if (typeof hash !== 'string') throw new NearUnavailable('The NEAR node returned no block.');
      return hash;
    },
    encode: (draft) => {
      const { bytes, hash } = encodeDraft(draft);
      return { bytes, hash };
    },
    sign: signer.sign,
    attach: attachSignature,
    readSigned: readSignedTransaction,
    isMessageSigned: ({ publicKey, signature, ...message }) =>
      isEd25519Signed(publicKey, hashSignMessage({ ...message, callbackUrl: undefined }), signature),
    send: (signed) => send(ask, lookUp, signed),
    lookUp,
  };
}

const never = new AbortController().signal;

/** Sends a request, and reports every failure other than a refusal as unavailable. */
async function read(ask: AskNear, method: string, params: unknown): Promise<unknown> {
  try {
    return await ask(method, params, never);
  } catch (error) {
    if (error instanceof NearRefusal) throw error;
    throw new NearUnavailable(error instanceof Error ? error.message : 'No NEAR node is responding.');
  }
}

const absences = ['UNKNOWN_ACCOUNT', 'INVALID_ACCOUNT', 'UNKNOWN_ACCESS_KEY', 'NO_CONTRACT_CODE'];

async function orAbsent(answer: Promise<unknown>): Promise<unknown> {
  try {
    const found = await answer;
    // Some nodes report a missing account as a message in the result.
    return fieldOf(found, 'error') === undefined ? found : undefined;
  } catch (error) {
    if (!(error instanceof NearRefusal)) throw error;
    if (absences.includes(error.reason)) return undefined;
    throw new NearUnavailable(error.message);
  }
}

async function view(
  ask: AskNear,
  { contractId, method, args }: { contractId: string; method: string; args: Readonly<Record<string, unknown>> },
): Promise<NearView> {
  const params = {
    request_type: 'call_function',
    finality: 'final',
    account_id: contractId,
    method_name: method,
    args_base64: Buffer.from(JSON.stringify(args)).toString('base64'),
  };
  try {
    const found = await read(ask, 'query', params);
    const reply = fieldOf(found, 'error');
    if (reply !== undefined) return readViewFailure(reply);
    const bytes = fieldOf(found, 'result');
    if (!Array.isArray(bytes)) throw new NearUnavailable('The NEAR node sent an unexpected response to a call.');
    return { kind: 'value', value: readJson(Uint8Array.from(bytes.map(Number))) };
  } catch (error) {
    if (!(error instanceof NearRefusal)) throw error;
    if (absences.includes(error.reason) || error.reason === 'PARSE_ERROR') return { kind: 'none' };
    if (error.reason === 'CONTRACT_EXECUTION_ERROR') return readViewFailure(error.detail);
    throw new NearUnavailable(error.message);
  }
}

type LookUp = (hash: string, signerId: string) => Promise<NearLookUp>;

function createLookUp(ask: AskNear): LookUp {
  return async (hash, signerId) => {
    try {
      const params = { tx_hash: hash, sender_account_id: signerId, wait_until: 'NONE' };
      const outcome = readOutcome(await ask('tx', params, never));
      return outcome ?? { kind: 'unknown', reason: 'The transaction is still being executed.' };
    } catch (error) {
      if (error instanceof NearRefusal && error.reason === 'UNKNOWN_TRANSACTION') return { kind: 'absent' };
      return { kind: 'unknown', reason: error instanceof Error ? error.message : 'No NEAR node is responding.' };
    }
  };
}

const outdated = ['InvalidNonce', 'Expired'];

async function send(
  ask: AskNear,
  lookUp: LookUp,
  signed: Pick<NearSigned, 'bytes' | 'hash' | 'signerId'>,
): Promise<NearSending> {
  const params = { signed_tx_base64: Buffer.from(signed.bytes).toString('base64'), wait_until: 'FINAL' };
  const unknown = (reason: string): NearSending => ({ kind: 'unknown', reason });
  try {
    return readOutcome(await ask('send_tx', params, never)) ?? unknown('The transaction is still being executed.');
  } catch (error) {
    // A node that receives the same transaction twice may only report that its nonce is used, so it is looked up first.
    const found = await lookUp(signed.hash, signed.signerId);
    if (found.kind === 'done' || found.kind === 'failed') return found;
    if (!(error instanceof NearRefusal))
      return unknown(error instanceof Error ? error.message : 'No NEAR node is responding.');
    if (error.reason !== 'INVALID_TRANSACTION' && error.reason !== 'PARSE_ERROR') return unknown(error.message);
    if (found.kind === 'unknown') return unknown(found.reason);
    const reason = error.reason === 'PARSE_ERROR' ? 'Malformed' : invalidReason(error.detail);
    return { kind: 'refused', reason, isOutdated: outdated.includes(reason) };
  }
}

// The curve number, and 64 bytes.
const signatureBytes = 65;

/** Signs drafts with a secret key (`ed25519:` and base58). */
function createSigner(secretKey: string): {
  publicKey: Promise<string>;
  sign(draft: NearDraft): Promise<NearSigned>;
} {
  const signer = readSecret(secretKey);
  return {
    publicKey: signer.getPublicKey().then(String),
    sign: async (draft) => {
      const { signedTransaction, txHash } = await signer.signTransaction(toTransaction(draft));
      return {
        bytes: signedTransaction.encode(),
        hash: baseEncode(txHash),
        signerId: draft.signerId,
        receiverId: draft.receiverId,
      };
    },
  };
}

function readSecret(secretKey: string): KeyPairSigner {
  try {
    return KeyPairSigner.fromSecretKey(secretKey as `ed25519:${string}`);
  } catch {
    // The library's error would repeat the key.
    throw new Error('The private key of the NEAR account must be ed25519: and base58.');
  }
}

/** Adds an external signature to a draft. */
function attachSignature(draft: NearDraft, signature: Uint8Array): NearSigned | undefined {
  const { digest, hash } = encodeDraft(draft);
  if (!isEd25519Signed(draft.publicKey, digest, signature)) return undefined;
  const signed = new SignedTransaction({
    transaction: toTransaction(draft),
    signature: new Signature({ keyType: KeyType.ED25519, data: signature }),
  });
  return { bytes: signed.encode(), hash, signerId: draft.signerId, receiverId: draft.receiverId };
}

/**
 * Parses a transaction that a wallet signed. Wallets choose the key, the nonce and the block themselves; the rest must match the request
 * byte for byte, otherwise a page could show one transaction and send another.
 */
function readSignedTransaction(
  bytes: Uint8Array,
  { signerId, receiverId, steps }: Pick<NearDraft, 'signerId' | 'receiverId' | 'steps'>,
): NearSigned | undefined {
  try {
    const { transaction, signature } = decodeSignedTransaction(bytes);
    const { nonce, blockHash, publicKey } = transaction;
    const given = {
      publicKey: PublicKey.from(publicKey).toString(),
      nonce: Number(nonce),
      blockHash: baseEncode(Uint8Array.from(blockHash)),
    };
    const { bytes: expected, digest, hash } = encodeDraft({ ...given, signerId, receiverId, steps });
    const isSame =
      bytes.length === expected.length + signatureBytes &&
      Buffer.compare(expected, bytes.subarray(0, expected.length)) === 0;
    const made = signature.ed25519Signature?.data;
    if (!isSame || made === undefined || !isEd25519Signed(given.publicKey, digest, Uint8Array.from(made)))
      return undefined;
    return { bytes, hash, signerId, receiverId };
  } catch {
    return undefined;
  }
}

/** Parses a NEAR public key on the curve that wallets use; undefined for anything else. */
function readPublicKey(text: string): Uint8Array | undefined {
  const [, encoded] = /^ed25519:([1-9A-HJ-NP-Za-km-z]{32,44})$/.exec(text) ?? [];
  if (encoded === undefined) return undefined;
  const bytes = base58.decode(encoded);
  return bytes.length === 32 ? bytes : undefined;
}

function isEd25519Signed(publicKey: string, message: Uint8Array, signature: Uint8Array): boolean {
  const key = readPublicKey(publicKey);
  return key !== undefined && verifyEd25519(signature, message, key);
}

const tera = 1_000_000_000_000n;

function toAction(step: NearStep): Action {
  switch (step.kind) {
    case 'call':
      return actions.functionCall(step.method, step.args, BigInt(step.teraGas) * tera, BigInt(step.yocto));
    case 'transfer':
      return actions.transfer(BigInt(step.yocto));
    case 'create-account':
      return actions.createAccount();
    case 'add-full-access-key':
      return actions.addFullAccessKey(PublicKey.from(step.publicKey));
    case 'use-code-of':
      return actions.useGlobalContract({ accountId: step.accountId });
  }
}

function toTransaction({ signerId, publicKey, nonce, receiverId, blockHash, steps }: NearDraft): Transaction {
  const key = PublicKey.from(publicKey);
  return createTransaction(signerId, key, receiverId, BigInt(nonce), steps.map(toAction), baseDecode(blockHash));
}

/** Encodes a draft to the bytes that are signed, with their hash, which is the transaction id. */
function encodeDraft(draft: NearDraft): { bytes: Uint8Array; digest: Uint8Array; hash: string } {
  const bytes = toTransaction(draft).encode();
  const digest = sha256(bytes);
  return { bytes, digest, hash: baseEncode(digest) };
}

const executed = ['EXECUTED_OPTIMISTIC', 'EXECUTED', 'FINAL'];

/** Returns the outcome of a transaction; undefined until all of its receipts are executed. */
function readOutcome(answer: unknown): NearResult | undefined {
  const progress = fieldOf(answer, 'final_execution_status');
  const status = fieldOf(answer, 'status');
  // Older nodes do not report the progress of a transaction, and respond only when it is executed.
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

/** Parses JSON; undefined for an empty or invalid response. Amounts that contracts write as numbers are parsed exactly. */
function readJson(bytes: Uint8Array): unknown {
  try {
    return parseExactJson(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}

const maxReasonLength = 300;

/** Returns the message of a failure: the contract's own, or the chain's name for it. */
function describeFailure(failure: unknown): string {
  const text = JSON.stringify(failure);
  const [, panic] = /Smart contract panicked: ((?:[^"\\]|\\.)*)"/.exec(text) ?? [];
  if (panic !== undefined) return panic.slice(0, maxReasonLength);
  const kind = fieldOf(fieldOf(failure, 'ActionError'), 'kind') ?? fieldOf(failure, 'InvalidTxError') ?? failure;
  return JSON.stringify(kind).slice(0, maxReasonLength);
}

/** Returns the name of the reason why a node rejected a transaction. */
function invalidReason(detail: unknown): string {
  const invalid = fieldOf(fieldOf(detail, 'TxExecutionError'), 'InvalidTxError');
  if (typeof invalid === 'string') return invalid;
  const [name = 'InvalidTransaction'] = Object.keys(Object(invalid));
  return name;
}

/** Returns the message of a contract whose view call failed, or `none` if it has no such method. */
function readViewFailure(detail: unknown): { kind: 'none' } | { kind: 'failed'; reason: string } {
  const text = typeof detail === 'string' ? detail : (JSON.stringify(detail) ?? '');
  if (/MethodNotFound|CodeDoesNotExist|ProhibitedInView/.test(text)) return { kind: 'none' };
  const [, panic] = /(?:Smart contract panicked: |panic_msg: \\?")([^"\\]*)/.exec(text) ?? [];
  return { kind: 'failed', reason: (panic ?? 'The contract failed').slice(0, maxReasonLength) };
}

function readKeys(answer: unknown): NearKey[] {
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
