import { isAccountId } from './account-id.ts';
import { findAccount, findKey } from './accounts.ts';
import type { Block } from './block.ts';
import type { Chain } from './chain.ts';
import { codeBytes } from './codes.ts';
import { findBlock, type RpcParams } from './find-block.ts';
import { readKey } from './keys.ts';
import { ActionFailed } from './receipt.ts';
import { handlerError, parseError } from './rpc-error.ts';
import { runView } from './run-method.ts';
import type { ReadState } from './world-state.ts';
import { writeAccessKey, writeAccount } from './write-views.ts';

interface Query {
  chain: Chain;
  block: Block;
  state: ReadState;
  account: string;
  at: { block_height: number; block_hash: string };
  params: RpcParams;
}

const answers: Readonly<Record<string, (request: Query) => Record<string, unknown>>> = {
  view_account: (request) => writeAccount(getAccount(request)),
  view_access_key: viewAccessKey,
  view_access_key_list: (request) => ({
    keys: getAccount(request).keys.flatMap((key) => {
      const access = findKey(request.state, request.account, key);
      return access === undefined ? [] : [{ public_key: key, access_key: writeAccessKey(access) }];
    }),
  }),
  view_code: (request) => {
    const { code, codeHash } = getAccount(request);
    if (code === undefined) throw noCode(request);
    return { code_base64: Buffer.from(codeBytes(code)).toString('base64'), hash: codeHash };
  },
  view_state: viewState,
  call_function: callFunction,
};

/** Answers queries about accounts, keys and contracts, at a block whose state is still available. */
export function answerQuery(chain: Chain, params: RpcParams): unknown {
  const answer = answers[String(params.request_type)];
  if (answer === undefined) throw parseError('Failed parsing args: unknown request_type');
  const block = findBlock(chain, params);
  const account = params.account_id;
  if (!isAccountId(account)) throw parseError('Failed parsing args: account_id');
  const at = { block_height: block.height, block_hash: block.hash };
  const state = block === chain.head ? chain.state : chain.state.at(block.height);
  if (state === undefined) throw handlerError('GARBAGE_COLLECTED_BLOCK', at);
  return { ...answer({ chain, block, state, account, at, params }), ...at };
}

function getAccount({ state, account, at }: Query) {
  const found = findAccount(state, account);
  if (found === undefined) throw handlerError('UNKNOWN_ACCOUNT', { requested_account_id: account, ...at });
  return found;
}

function noCode({ account, at }: Query) {
  return handlerError('NO_CONTRACT_CODE', { contract_account_id: account, ...at });
}

function viewAccessKey({ state, account, at, params }: Query): Record<string, unknown> {
  const key = String(params.public_key);
  if (readKey(key) === undefined) throw parseError('Failed parsing args: public_key');
  const access = findKey(state, account, key.includes(':') ? key : `ed25519:${key}`);
  if (access === undefined) throw handlerError('UNKNOWN_ACCESS_KEY', { public_key: key, ...at });
  return writeAccessKey(access);
}

function viewState(request: Query): Record<string, unknown> {
  getAccount(request);
  const prefix = Buffer.from(String(request.params.prefix_base64 ?? ''), 'base64').toString('latin1');
  const base = `data/${request.account}/`;
  const written = (value: unknown) =>
    value instanceof Uint8Array
      ? Buffer.from(value)
      : Buffer.from(JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? String(part) : part)));
  const values = request.chain.state.under(`${base}${prefix}`).map(([key, value]) => ({
    key: Buffer.from(key.slice(base.length), 'latin1').toString('base64'),
    value: written(value).toString('base64'),
  }));
  return { values };
}

function callFunction(request: Query): Record<string, unknown> {
  const { state, account, params, block, at } = request;
  if (getAccount(request).code === undefined) throw noCode(request);
  const method = String(params.method_name);
  const args = Buffer.from(String(params.args_base64 ?? ''), 'base64');
  const failed = (error: unknown, message: string) =>
    handlerError('CONTRACT_EXECUTION_ERROR', { vm_error: message, error, ...at }, message);
  try {
    const run = runView(state, { account, method, args, timestampNs: block.timestampNs });
    if (run.kind === 'value') return { result: [...run.value], logs: [] };
    if (run.kind === 'no-method')
      throw failed(
        { MethodResolveError: 'MethodNotFound' },
        'wasm execution failed with error: MethodResolveError(MethodNotFound)',
      );
    throw failed(
      { HostError: { ProhibitedInView: { method_name: method } } },
      `wasm execution failed with error: HostError(ProhibitedInView { method_name: "${method}" })`,
    );
  } catch (error) {
    if (!(error instanceof ActionFailed)) throw error;
    const reply = Object(error.failure.FunctionCallError);
    const panic = String(reply.ExecutionError).replace(/^Smart contract panicked: /, '');
    throw failed(reply, `wasm execution failed with error: HostError(GuestPanic { panic_msg: "${panic}" })`);
  }
}
