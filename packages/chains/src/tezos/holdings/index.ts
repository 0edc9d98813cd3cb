import {
  answerGroups,
  decimalsOf,
  digitsOf,
  distinct,
  type Fields,
  fieldsOf,
  listOf,
  Malformed,
  nameOf,
  type QuestionGroup,
  ServiceFailed,
  textOf,
  toAnswers,
} from '@latchkey/adapter-kit';
import type { Answer, BlockPoint, HeldToken, HoldingsReader, Question } from '@latchkey/core/ports';
import {
  createHttpReader,
  fromUnits,
  type HttpHoldingsOptions,
  heldTokens,
  readPages,
  type Session,
} from '../../http-holdings/index.ts';

const service = 'TzKT';
const tezDecimals = 6;
const accountsPerRequest = 100;
const rowsPerPage = 1_000;
const maxPages = 20;

/**
 * Reads Tezos through the TzKT API: `native`, `fa1.2` and `fa2`, whose reference is a contract (KT1…). A batch is read at one level: if the
 * indexer advances in between, the rest is read from its history.
 */
export function createTezosHoldings(options: HttpHoldingsOptions): HoldingsReader {
  const read = async (questions: readonly Question[], session: Session) => {
    const block = await pinBlock(session);
    const grouping = {
      keyOf: ({ standard, reference, account }: Question) =>
        standard === 'native' ? `native ${account}` : `${standard} ${reference}`,
      size: accountsPerRequest,
    };
    return answerGroups(service, questions, grouping, async (group) =>
      group[0].standard === 'native' ? readNative(group, block, session) : readTokens(group, block, session),
    );
  };
  return createHttpReader({ service, standards: ['native', 'fa1.2', 'fa2'], hasHistory: true, read }, options);
}

async function pinBlock({ ask, block, chain }: Session): Promise<BlockPoint> {
  const head = fieldsOf((await ask('/v1/head')).body, 'the head');
  const network = chain.slice(chain.indexOf(':') + 1);
  if (head.chain !== network && head.chainId !== network) throw new ServiceFailed(`${service} serves another network.`);
  if (head.synced === false) throw new ServiceFailed(`${service} is behind the chain.`);
  const level = digitsOf(head.level, 'the level');
  if (block === undefined) return { number: level, hash: textOf(head.hash, 'the hash of the head') };
  if (BigInt(block.number) > BigInt(level))
    throw new ServiceFailed(`${service} has not seen block ${block.number} yet.`);
  return block;
}

async function readNative([{ account }, ...more]: QuestionGroup, block: BlockPoint, { ask }: Session) {
  const { body } = await ask(`/v1/accounts/${encodeURIComponent(account)}/balance_history/${block.number}`);
  const answer: Answer = { kind: 'read', amount: fromUnits(digitsOf(body, 'the balance'), tezDecimals), block };
  return [answer, ...more.map(() => answer)];
}

async function readTokens(group: QuestionGroup, block: BlockPoint, session: Session) {
  const [{ standard, reference }] = group;
  const query = {
    'account.in': [...new Set(group.map(({ account }) => account))].join(','),
    'token.contract': reference,
    'token.standard': standard,
    'balance.gt': '0',
  };
  const rows = await readRows(query, block, session);
  const byAccount = Map.groupBy(rows, (row) => nameOf(fieldsOf(row.account, 'an account').address, 'an account'));
  return toAnswers(service, group, (question) => {
    const held = (byAccount.get(question.account) ?? []).map((row) => readToken(row, question));
    return heldTokens(
      question,
      distinct(held, ({ id }) => id),
      block,
    );
  });
}

/** Returns the newest balances if they are of the wanted level, otherwise the historical ones. */
async function readRows(query: Record<string, string>, block: BlockPoint, session: Session): Promise<Fields[]> {
  const newest = session.block ? undefined : await readBalances('/v1/tokens/balances', query, session, block.number);
  const past = `/v1/tokens/historical_balances/${block.number}`;
  const rows = newest ?? (await readBalances(past, query, session));
  if (rows === undefined) throw new ServiceFailed(`${service} has no history of block ${block.number}.`);
  return rows;
}

/** Returns undefined if a page is not of the given level. */
async function readBalances(path: string, query: Record<string, string>, { ask }: Session, level?: string) {
  let isOtherLevel = false;
  const tooMany = `${service} returned more pages of balances than the read limit.`;
  const balances = await readPages({ maxPages, tooMany }, async (page) => {
    const paging = { limit: String(rowsPerPage), offset: String(page * rowsPerPage) };
    const { body, headers } = await ask(path, { query: { ...query, ...paging } });
    isOtherLevel = level !== undefined && headers.get('tzkt-level') !== level;
    if (isOtherLevel) return { rows: [], isLast: true };
    const rows = listOf(body, 'the list of balances').map((row) => fieldsOf(row, 'a balance'));
    return { rows, isLast: rows.length < rowsPerPage };
  });
  return isOtherLevel ? undefined : balances;
}

function readToken(row: Fields, { standard, reference, needs }: Question): HeldToken {
  const token = fieldsOf(row.token, 'a token');
  if (fieldsOf(token.contract, 'a contract').address !== reference)
    throw new Malformed('it belongs to another contract');
  const metadata = token.metadata === undefined || token.metadata === null ? {} : fieldsOf(token.metadata, 'metadata');
  // A fungible token without decimals would be counted a million times too high; a collectible has none.
  if (metadata.decimals === undefined && standard === 'fa1.2')
    throw new Malformed('the token does not report its decimals');
  const amount = fromUnits(digitsOf(row.balance, 'a balance'), decimalsOf(metadata.decimals ?? 0, 'the decimals'));
  return { id: digitsOf(token.tokenId, 'a token id'), amount, ...(needs === 'metadata' && { metadata }) };
}
