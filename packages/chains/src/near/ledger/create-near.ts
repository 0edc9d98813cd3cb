import { fieldOf } from '@latchkey/adapter-kit';
import {
  type Near,
  type NearLookUp,
  type NearSending,
  type NearSetup,
  type NearSigned,
  NearUnavailable,
  type NearView,
} from '@latchkey/core/ports';
import { type AskNear, createAskNear, NearRefusal, type NearRpcOptions } from '../blocks/ask-near.ts';
import { hashSignMessage } from '../signed-bytes.ts';
import { encodeDraft } from './draft-transaction.ts';
import { isEd25519Signed, readPublicKey } from './is-signed.ts';
import { invalidReason, readJson, readKeys, readOutcome, readViewFailure } from './read-answers.ts';
import { attachSignature, createSigner, readSignedTransaction } from './sign-transaction.ts';

export interface NearLedgerOptions extends NearRpcOptions {
  network: string;
  account: { id: string; secretKey: string };
  setup: NearSetup;
}

const accountForm = /^(?=.{2,64}$)(([a-z\d]+[-_])*[a-z\d]+\.)*([a-z\d]+[-_])*[a-z\d]+$/;

/** A NEAR network over the JSON-RPC of its nodes, with near-api-js to write and sign transactions. */
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
      if (typeof hash !== 'string') throw new NearUnavailable('The NEAR node named no block.');
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

/** Asks, and calls everything but a refusal unavailable. */
async function read(ask: AskNear, method: string, params: unknown): Promise<unknown> {
  try {
    return await ask(method, params, never);
  } catch (error) {
    if (error instanceof NearRefusal) throw error;
    throw new NearUnavailable(error instanceof Error ? error.message : 'No NEAR node answers.');
  }
}

const absences = ['UNKNOWN_ACCOUNT', 'INVALID_ACCOUNT', 'UNKNOWN_ACCESS_KEY', 'NO_CONTRACT_CODE'];

async function orAbsent(answer: Promise<unknown>): Promise<unknown> {
  try {
    const found = await answer;
    // Some nodes write the sentence about a missing account into the result.
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
    const said = fieldOf(found, 'error');
    if (said !== undefined) return readViewFailure(said);
    const bytes = fieldOf(found, 'result');
    if (!Array.isArray(bytes)) throw new NearUnavailable('The NEAR node answered a call with something else.');
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
      return { kind: 'unknown', reason: error instanceof Error ? error.message : 'No NEAR node answers.' };
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
    // A node that is sent the same transaction twice may only see that its nonce is used: it is looked up first.
    const found = await lookUp(signed.hash, signed.signerId);
    if (found.kind === 'done' || found.kind === 'failed') return found;
    if (!(error instanceof NearRefusal))
      return unknown(error instanceof Error ? error.message : 'No NEAR node answers.');
    if (error.reason !== 'INVALID_TRANSACTION' && error.reason !== 'PARSE_ERROR') return unknown(error.message);
    if (found.kind === 'unknown') return unknown(found.reason);
    const reason = error.reason === 'PARSE_ERROR' ? 'Malformed' : invalidReason(error.detail);
    return { kind: 'refused', reason, isOutdated: outdated.includes(reason) };
  }
}
