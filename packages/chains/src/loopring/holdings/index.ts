import {
  answerGroups,
  decimalsOf,
  digitsOf,
  distinct,
  type Fields,
  fieldsOf,
  listOf,
  nameOf,
  once,
  parseEntries,
  type QuestionGroup,
  ServiceFailed,
  toAnswers,
} from '@latchkey/adapter-kit';
import type { Answer, HeldToken, HoldingsReader, Question } from '@latchkey/core/ports';
import {
  createHttpReader,
  fromUnits,
  type HttpHoldingsOptions,
  heldTokens,
  readPages,
  type Session,
} from '../../http-holdings/index.ts';

const service = 'Loopring';
const nftsPerPage = 50;
const maxPages = 100;
const accountNotFound = 101_002;

/**
 * Reads accounts of the Loopring exchange over its REST API (version 3), with the operator's key: `ft` by the contract of a token (zeros
 * for ether) and `nft` by the contract of a collection, whose token ids are 0x… nft ids.
 */
export function createLoopringHoldings(options: HttpHoldingsOptions): HoldingsReader {
  const read = (questions: readonly Question[], session: Session) => {
    const accountId = once((owner) => findAccountId(owner, session));
    const tokens = once(() => readTokens(session));
    const keyOf = ({ standard, account }: Question) => `${standard} ${account}`;
    return answerGroups(service, questions, { keyOf }, async (group) => {
      const id = await accountId(group[0].account);
      if (id === undefined) return group.map((question) => heldTokens(question, []));
      if (group[0].standard === 'nft') return readNfts(group, id, session);
      return readBalances(group, id, await tokens(''), session);
    });
  };
  const authorize = (apiKey: string) => ({ 'x-api-key': apiKey });
  return createHttpReader({ service, standards: ['ft', 'nft'], hasHistory: false, authorize, read }, options);
}

/** Returns undefined if the owner never opened an account on the exchange. */
async function findAccountId(owner: string, { ask }: Session): Promise<string | undefined> {
  const { body } = await ask('/api/v3/account', { query: { owner }, answers: [400] });
  const account = fieldsOf(body, 'the account');
  if (codeOf(account) === accountNotFound) return undefined;
  return digitsOf(succeeded(account).accountId, 'the id of the account');
}

interface ListedToken {
  address: string;
  tokenId: string;
  decimals: number;
}

/** A token that cannot be parsed is not listed, which makes its balances unknown. */
async function readTokens({ ask }: Session): Promise<ListedToken[]> {
  const { body } = await ask('/api/v3/exchange/tokens');
  const about = { source: service, kind: 'token', idOf: ({ address }: ListedToken) => address };
  return parseEntries(body, about, (value): ListedToken => {
    const { address, tokenId, decimals } = fieldsOf(value, 'a token');
    return {
      address: nameOf(address, 'an address').toLowerCase(),
      tokenId: digitsOf(tokenId, 'the id of a token'),
      decimals: decimalsOf(decimals, 'the decimals'),
    };
  }).entries;
}

async function readBalances(
  group: QuestionGroup,
  accountId: string,
  tokens: readonly ListedToken[],
  { ask }: Session,
): Promise<readonly Answer[]> {
  const { body } = await ask('/api/v3/user/balances', { query: { accountId } });
  const balances = new Map(
    distinct(listOf(body, 'the list of balances').map(readBalance), ({ tokenId }) => tokenId).map((balance) => [
      balance.tokenId,
      balance.total,
    ]),
  );
  return toAnswers(service, group, ({ reference }) => {
    const token = tokens.find(({ address }) => address === reference.toLowerCase());
    if (!token) throw new ServiceFailed(`${service} does not list this token.`);
    return { kind: 'read', amount: fromUnits(balances.get(token.tokenId) ?? '0', token.decimals) };
  });
}

function readBalance(value: unknown): { tokenId: string; total: string } {
  const { tokenId, total } = fieldsOf(value, 'a balance');
  return { tokenId: digitsOf(tokenId, 'the id of a token'), total: digitsOf(total, 'a balance') };
}

async function readNfts(group: QuestionGroup, accountId: string, { ask }: Session): Promise<readonly Answer[]> {
  const tooMany = 'The account holds more tokens than the read limit.';
  const nfts = await readPages({ maxPages, tooMany }, async (page) => {
    const query = { accountId, limit: String(nftsPerPage), offset: String(page * nftsPerPage) };
    const body = succeeded(fieldsOf((await ask('/api/v3/user/nft/balances', { query })).body, 'the answer'));
    const rows = listOf(body.data, 'the list of tokens').map(readNft);
    return { rows, isLast: rows.length < nftsPerPage };
  });
  const held = distinct(nfts, ({ contract, token }) => `${contract} ${token.id}`);
  return toAnswers(service, group, (question) => {
    const own = held.filter(({ contract }) => contract === question.reference.toLowerCase());
    return heldTokens(
      question,
      own.map(({ token }) => token),
    );
  });
}

interface HeldNft {
  contract: string;
  token: HeldToken;
}

function readNft(value: unknown): HeldNft {
  const { tokenAddress, nftId, total } = fieldsOf(value, 'a token');
  const id = nameOf(nftId, 'a token id').toLowerCase();
  const contract = nameOf(tokenAddress, 'a contract').toLowerCase();
  return { contract, token: { id, amount: digitsOf(total, 'a balance') } };
}

/** Failures may come with a success status and an error code in the body. */
function succeeded(body: Fields): Fields {
  const code = codeOf(body);
  if (code !== undefined && code !== 0) throw new ServiceFailed(`${service} could not answer (${code}).`);
  return body;
}

function codeOf({ resultInfo }: Fields): number | undefined {
  return resultInfo === undefined ? undefined : Number(digitsOf(fieldsOf(resultInfo, 'the result').code, 'a code'));
}
