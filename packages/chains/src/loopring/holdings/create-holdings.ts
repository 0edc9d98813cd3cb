import {
  answerGroups,
  decimalsOf,
  digitsOf,
  type Fields,
  fieldsOf,
  listOf,
  namesTokens,
  once,
  ServiceFailed,
  textOf,
  toAnswers,
} from '@latchkey/adapter-kit';
import type { Answer, HeldToken, HoldingsReader, Question } from '@latchkey/core/ports';
import {
  createHttpReader,
  fromUnits,
  type HttpHoldingsOptions,
  type Session,
  sumDecimals,
} from '../../http-holdings/index.ts';

const service = 'Loopring';
const nftsPerPage = 50;
const maxPages = 100;
const accountNotFound = 101_002;

type Group = readonly [Question, ...Question[]];

/**
 * Reads accounts of the Loopring exchange over its REST API (version 3), with the operator's own key: `ft` by the contract
 * of a token (zeros for ether) and `nft` by the contract of a collection, whose token ids are 0x… nft ids.
 */
export function createLoopringHoldings(options: HttpHoldingsOptions): HoldingsReader {
  const { apiKey } = options;
  const read = (questions: readonly Question[], session: Session) => {
    const accountId = once((owner) => findAccountId(owner, session));
    const tokens = once(() => readTokens(session));
    const keyOf = ({ standard, account }: Question) => `${standard} ${account}`;
    return answerGroups(service, questions, { keyOf }, async (group) => {
      const id = await accountId(group[0].account);
      if (id === undefined) return group.map((question) => nothing(question));
      if (group[0].standard === 'nft') return readNfts(group, id, session);
      return readBalances(group, id, await tokens(''), session);
    });
  };
  const headers: Record<string, string> = apiKey === undefined ? {} : { 'x-api-key': apiKey };
  return createHttpReader({ service, standards: ['ft', 'nft'], hasHistory: false, headers, read }, options);
}

function nothing(question: Question): Answer {
  return { kind: 'read', amount: '0', ...(namesTokens(question) && { tokens: [] }) };
}

/** Undefined when the owner never opened an account on the exchange. */
async function findAccountId(owner: string, { ask }: Session): Promise<string | undefined> {
  const { body } = await ask('/api/v3/account', { query: { owner }, answers: [400] });
  const account = fieldsOf(body, 'the account');
  if (codeOf(account) === accountNotFound) return undefined;
  return digitsOf(succeeded(account).accountId, 'the id of the account');
}

async function readTokens({ ask }: Session): Promise<Fields[]> {
  const { body } = await ask('/api/v3/exchange/tokens');
  return listOf(body, 'the list of tokens').map((token) => fieldsOf(token, 'a token'));
}

async function readBalances(
  group: Group,
  accountId: string,
  tokens: Fields[],
  { ask }: Session,
): Promise<readonly Answer[]> {
  const { body } = await ask('/api/v3/user/balances', { query: { accountId } });
  const balances = listOf(body, 'the list of balances').map((balance) => fieldsOf(balance, 'a balance'));
  return toAnswers(service, group, ({ reference }) => {
    const token = tokens.find((one) => isSame(one.address, reference));
    if (!token) throw new ServiceFailed(`${service} does not list this token.`);
    const balance = balances.find((one) => Number(one.tokenId) === Number(token.tokenId));
    const units = balance ? digitsOf(balance.total, 'a balance') : '0';
    return { kind: 'read', amount: fromUnits(units, decimalsOf(token.decimals, 'the decimals')) };
  });
}

async function readNfts(group: Group, accountId: string, { ask }: Session): Promise<readonly Answer[]> {
  const nfts: Fields[] = [];
  for (let page = 0; page < maxPages; page += 1) {
    const query = { accountId, limit: String(nftsPerPage), offset: String(page * nftsPerPage) };
    const body = succeeded(fieldsOf((await ask('/api/v3/user/nft/balances', { query })).body, 'the answer'));
    const list = listOf(body.data, 'the list of tokens').map((nft) => fieldsOf(nft, 'a token'));
    nfts.push(...list);
    if (list.length < nftsPerPage) {
      return toAnswers(service, group, (question) => {
        const tokens = nfts.filter((nft) => isSame(nft.tokenAddress, question.reference)).map(readNft);
        const amount = sumDecimals(tokens.map((token) => token.amount));
        return { kind: 'read', amount, ...(namesTokens(question) && { tokens }) };
      });
    }
  }
  throw new ServiceFailed('The account holds more tokens than are read.');
}

function readNft(nft: Fields): HeldToken {
  return { id: textOf(nft.nftId, 'a token id').toLowerCase(), amount: digitsOf(nft.total, 'a balance') };
}

/** Failures may come with a good status; then they say so themselves. */
function succeeded(body: Fields): Fields {
  const code = codeOf(body);
  if (code !== undefined && code !== 0) throw new ServiceFailed(`${service} could not answer (${code}).`);
  return body;
}

function codeOf({ resultInfo }: Fields): number | undefined {
  return resultInfo === undefined ? undefined : Number(fieldsOf(resultInfo, 'the result').code);
}

function isSame(written: unknown, address: string): boolean {
  return textOf(written, 'an address').toLowerCase() === address.toLowerCase();
}
