import {
  answerGroups,
  decimalsOf,
  digitsOf,
  distinct,
  fieldsOf,
  listOf,
  Malformed,
  nameOf,
  namesTokens,
  once,
  ServiceFailed,
  textOf,
} from '@latchkey/adapter-kit';
import type { Answer, BlockPoint, HeldToken, HoldingsReader, Question } from '@latchkey/core/ports';
import { parseExactJson } from '@latchkey/kernel';
import {
  createHttpReader,
  fromUnits,
  type HttpHoldingsOptions,
  readPages,
  type Session,
} from '../../http-holdings/index.ts';

const service = 'The NEAR node';
const nearDecimals = 24;
// Contracts return each token with its metadata, and the gas of a view call is limited.
const tokensPerPage = 50;
const maxPages = 100;

/** Calls a view method of a contract at the pinned block. Returns undefined if the contract has no such method. */
type View = (contract: string, method: string, args: Readonly<Record<string, unknown>>) => Promise<unknown>;

/** Reads NEAR over its JSON-RPC, at one final block: `native`, `nep141` and `nep171`, whose reference is a contract. */
export function createNearHoldings(options: HttpHoldingsOptions): HoldingsReader {
  const read = async (questions: readonly Question[], session: Session) => {
    const block = session.block ?? (await findFinalBlock(session));
    const view = viewAt(block, session);
    const decimals = once(async (contract) =>
      decimalsOf(fieldsOf(await view(contract, 'ft_metadata', {}), 'the metadata').decimals, 'the decimals'),
    );
    const keyOf = ({ standard, reference, account, needs, tokenIds }: Question) =>
      [standard, reference, account, needs, tokenIds !== undefined].join(' ');
    return answerGroups(service, questions, { keyOf }, async (group) => {
      const [question] = group;
      const { standard, reference, account } = question;
      let held: { amount: string; tokens?: HeldToken[] };
      if (standard === 'native') held = { amount: await readNative(account, block, session) };
      else if (standard === 'nep171') held = await readNfts(question, view);
      else {
        const units = digitsOf(await view(reference, 'ft_balance_of', { account_id: account }), 'the balance');
        held = { amount: fromUnits(units, await decimals(reference)) };
      }
      return group.map((): Answer => ({ kind: 'read', ...held, block }));
    });
  };
  return createHttpReader({ service, standards: ['native', 'nep141', 'nep171'], hasHistory: true, read }, options);
}

async function callRpc(
  { ask }: Session,
  method: string,
  params: unknown,
): Promise<{ result: unknown; cause: unknown }> {
  const { body } = await ask('', { body: { jsonrpc: '2.0', id: 'latchkey', method, params } });
  const { result, error } = fieldsOf(body, 'the answer');
  const cause = error === undefined ? undefined : fieldsOf(Object(error).cause ?? {}, 'the cause of the error').name;
  if (error === undefined && result === undefined) throw new Malformed('it has neither a result nor an error');
  return { result, cause: error === undefined ? undefined : (cause ?? 'UNKNOWN') };
}

async function findFinalBlock(session: Session): Promise<BlockPoint> {
  const { result, cause } = await callRpc(session, 'block', { finality: 'final' });
  if (cause !== undefined) throw new ServiceFailed(`${service} has no final block.`);
  const header = fieldsOf(fieldsOf(result, 'the block').header, 'the header');
  return { number: digitsOf(header.height, 'the height'), hash: textOf(header.hash, 'the hash') };
}

async function readNative(account: string, block: BlockPoint, session: Session): Promise<string> {
  const params = { request_type: 'view_account', account_id: account, block_id: Number(block.number) };
  const { result, cause } = await callRpc(session, 'query', params);
  // Accounts can be named before they exist: an account that was never funded holds nothing.
  if (cause === 'UNKNOWN_ACCOUNT') return '0';
  if (cause !== undefined) throw new ServiceFailed(`${service} could not read the account (${cause}).`);
  return fromUnits(digitsOf(fieldsOf(result, 'the account').amount, 'the amount'), nearDecimals);
}

function viewAt(block: BlockPoint, session: Session): View {
  return async (contract, method, args) => {
    const { result, cause } = await callRpc(session, 'query', {
      request_type: 'call_function',
      account_id: contract,
      method_name: method,
      args_base64: Buffer.from(JSON.stringify(args)).toString('base64'),
      block_id: Number(block.number),
    });
    // Nodes report the failure of a contract in `error`, or as a message in `result`.
    const sentence = cause === undefined ? fieldsOf(result, 'the result').error : undefined;
    if (cause === 'CONTRACT_EXECUTION_ERROR' || sentence !== undefined) return undefined;
    if (cause !== undefined) throw new ServiceFailed(`${service} could not call the contract (${cause}).`);
    const bytes = listOf(fieldsOf(result, 'the result').result, 'the bytes of the result');
    return parseExactJson(Buffer.from(bytes.map(byteOf)).toString('utf8'));
  };
}

function byteOf(value: unknown): number {
  const byte = Number(digitsOf(value, 'a byte'));
  if (byte > 255) throw new Malformed('a byte is too large');
  return byte;
}

async function readNfts(question: Question, view: View): Promise<{ amount: string; tokens?: HeldToken[] }> {
  const { reference, account } = question;
  if (!namesTokens(question)) {
    const supply = await view(reference, 'nft_supply_for_owner', { account_id: account });
    if (supply !== undefined) return { amount: digitsOf(supply, 'the number of tokens') };
  }
  const tooMany = 'The contract returned more pages of tokens than the read limit.';
  const tokens = await readPages({ maxPages, tooMany }, async (page) => {
    const paging = { from_index: String(page * tokensPerPage), limit: tokensPerPage };
    const list = await view(reference, 'nft_tokens_for_owner', { account_id: account, ...paging });
    const rows = listOf(list, 'the list of tokens').map((token) => readNft(token, question));
    return { rows, isLast: rows.length < tokensPerPage };
  });
  const held = distinct(tokens, ({ id }) => id);
  return { amount: String(held.length), tokens: held };
}

function readNft(value: unknown, { account, needs }: Question): HeldToken {
  const token = fieldsOf(value, 'a token');
  // Old contracts return the owner as an object.
  const owner = typeof token.owner_id === 'string' ? token.owner_id : Object(token.owner_id).Account;
  if (owner !== account) throw new Malformed('a token belongs to another owner');
  const metadata = needs === 'metadata' && token.metadata ? fieldsOf(token.metadata, 'the metadata') : undefined;
  const uri = typeof metadata?.reference === 'string' ? metadata.reference : undefined;
  return { id: nameOf(token.token_id, 'a token id'), amount: '1', ...(uri && { uri }), ...(metadata && { metadata }) };
}
