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
  once,
  type QuestionGroup,
  ServiceFailed,
  textOf,
  toAnswers,
  unknown,
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
import { normalizeTonAddress } from '../address.ts';

const service = 'TON Center';
const toncoinDecimals = 9;
const ownersPerRequest = 50;
const rowsPerPage = 1_000;
const maxPages = 20;

/**
 * Reads TON through TON Center (API version 3): `native`, `jetton` and `nft`, whose reference is the master contract of a jetton or of a
 * collection. A token's id is its index in the collection. The answers are of the newest state and name no block, because blocks come
 * faster than pages.
 */
export function createTonHoldings(options: HttpHoldingsOptions): HoldingsReader {
  const read = (questions: readonly Question[], session: Session) => {
    const network = /:(testnet|-3)$/.test(session.chain) ? '-3' : '-239';
    const decimals = once((master) => readDecimals(master, session));
    const keyOf = ({ standard, reference }: Question) =>
      standard === 'native' ? standard : `${standard} ${reference}`;
    return answerGroups(service, questions, { keyOf, size: ownersPerRequest }, async (group) => {
      const [{ standard, reference }] = group;
      if (standard === 'native') return readNative(group, session);
      const master = normalizeTonAddress(reference, network);
      if (master === undefined) return group.map(() => unknown('The reference is not a TON address.'));
      return standard === 'nft' ? readNfts(group, master, session) : readJettons(group, master, decimals, session);
    });
  };
  const authorize = (apiKey: string) => ({ 'x-api-key': apiKey });
  const standards = ['native', 'jetton', 'nft'];
  return createHttpReader({ service, standards, hasHistory: false, authorize, read }, options);
}

async function readNative(group: QuestionGroup, { ask }: Session): Promise<readonly Answer[]> {
  const query = { address: ownersOf(group), include_boc: 'false' };
  const { accounts } = fieldsOf((await ask('/api/v3/accountStates', { query })).body, 'the answer');
  const states = listOf(accounts, 'the list of accounts').map((value) => {
    const { address, balance } = fieldsOf(value, 'an account');
    return { address: addressOf(address), nano: digitsOf(balance, 'the balance') };
  });
  return toAnswers(service, group, ({ account }) => {
    const state = states.find(({ address }) => address === account.toLowerCase());
    return { kind: 'read', amount: fromUnits(state?.nano ?? '0', toncoinDecimals) };
  });
}

async function readJettons(
  group: QuestionGroup,
  master: string,
  decimals: (master: string) => Promise<number>,
  session: Session,
): Promise<readonly Answer[]> {
  const query = { owner_address: ownersOf(group), jetton_address: master };
  const rows = await readRows('/api/v3/jetton/wallets', 'jetton_wallets', query, session);
  const parsed = rows.map(({ address, owner, jetton, balance }) => ({
    address: addressOf(address),
    owner: addressOf(owner),
    jetton: addressOf(jetton),
    balance: digitsOf(balance, 'a balance'),
  }));
  const wallets = distinct(parsed, ({ address }) => address);
  const places = await decimals(master);
  return toAnswers(service, group, ({ account }) => {
    // A contract may claim any master; TON Center lists only wallets that their master confirms.
    const own = wallets.filter(
      ({ owner, jetton }) => owner === account.toLowerCase() && jetton === master.toLowerCase(),
    );
    const units = own.reduce((sum, { balance }) => sum + BigInt(balance), 0n);
    return { kind: 'read', amount: fromUnits(units, places) };
  });
}

async function readNfts(group: QuestionGroup, master: string, session: Session): Promise<readonly Answer[]> {
  const query = { owner_address: ownersOf(group), collection_address: master };
  const rows = await readRows('/api/v3/nft/items', 'nft_items', query, session);
  const parsed = rows.map((item) => ({
    address: addressOf(item.address),
    owner: addressOf(item.owner_address),
    collection: addressOf(item.collection_address),
    index: digitsOf(item.index, 'an index'),
    item,
  }));
  const items = distinct(parsed, ({ address }) => address);
  return toAnswers(service, group, (question) => {
    const tokens = items
      .filter(
        ({ owner, collection }) => owner === question.account.toLowerCase() && collection === master.toLowerCase(),
      )
      .map(({ item }) => readNft(item, question));
    return heldTokens(question, tokens);
  });
}

function readNft(item: Fields, { needs }: Question): HeldToken {
  const content = item.content ? fieldsOf(item.content, 'the content') : {};
  const uri = typeof content.uri === 'string' ? content.uri : undefined;
  const metadata = needs === 'metadata' ? content : undefined;
  return { id: digitsOf(item.index, 'an index'), amount: '1', ...(uri && { uri }), ...(metadata && { metadata }) };
}

async function readDecimals(master: string, { ask }: Session): Promise<number> {
  const { body } = await ask('/api/v3/jetton/masters', { query: { address: master } });
  const { jetton_masters: masters, metadata } = fieldsOf(body, 'the answer');
  const [found] = listOf(masters, 'the list of jettons').map((one) => fieldsOf(one, 'a jetton'));
  if (!found || !isSame(found.address, master)) throw new ServiceFailed('Jetton not found on TON Center.');
  const content = fieldsOf(found.jetton_content, 'the content');
  for (const value of Object.values(content)) textOf(value, 'a value of the content');
  if (content.decimals !== undefined) return decimalsOf(content.decimals, 'the decimals');
  // The indexer adds what a jetton stores off-chain. Only a jetton without any metadata defaults to nine decimals.
  if (content.uri === undefined) return toncoinDecimals;
  const [, indexed] = Object.entries(Object(metadata)).find(([address]) => isSame(address, master)) ?? [];
  const [info] = listOf(Object(indexed).token_info, 'what is known of the jetton');
  const extra = fieldsOf(Object(info).extra, 'what is known of the jetton');
  if (extra.decimals === undefined) throw new Malformed('the jetton does not report its decimals');
  return decimalsOf(extra.decimals, 'the decimals');
}

function readRows(
  path: string,
  list: string,
  query: Readonly<Record<string, string | string[]>>,
  { ask }: Session,
): Promise<Fields[]> {
  const tooMany = `${service} returned more pages than the read limit.`;
  return readPages({ maxPages, tooMany }, async (page) => {
    const paging = { limit: String(rowsPerPage), offset: String(page * rowsPerPage) };
    const { body } = await ask(path, { query: { ...query, ...paging } });
    const rows = listOf(fieldsOf(body, 'the answer')[list], 'the list').map((row) => fieldsOf(row, 'a row'));
    return { rows, isLast: rows.length < rowsPerPage };
  });
}

function ownersOf(group: QuestionGroup): string[] {
  return [...new Set(group.map(({ account }) => account))];
}

/** TON Center returns addresses in raw form, in upper case. */
function addressOf(value: unknown): string {
  return nameOf(value, 'an address').toLowerCase();
}

function isSame(written: unknown, address: string): boolean {
  return textOf(written ?? '', 'an address').toLowerCase() === address.toLowerCase();
}
