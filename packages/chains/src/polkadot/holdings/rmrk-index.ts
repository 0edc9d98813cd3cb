import {
  answerGroups,
  digitsOf,
  distinct,
  type Fields,
  fieldsOf,
  listOf,
  nameOf,
  namesTokens,
  ServiceFailed,
  textOf,
} from '@latchkey/adapter-kit';
import type { Answer, HeldToken, Question } from '@latchkey/core/ports';
import { readPages, type Session } from '../../http-holdings/index.ts';
import { known, lookUp } from '../../look-up.ts';
import type { ReadDocument } from '../../token-documents.ts';

const service = 'The RMRK index';
const ownersPerQuestion = 100;
const rowsPerPage = 500;
const maxPages = 20;

// The schema of the open-source squids that index RMRK, which anyone can run.
const query = `query held($collection: String!, $owners: [String!]!, $limit: Int!, $offset: Int!) {
  squidStatus { height }
  collectionEntities(where: { id_eq: $collection }, limit: 1) { id }
  nftEntities(
    where: { collection: { id_eq: $collection }, currentOwner_in: $owners, burned_eq: false }
    orderBy: id_ASC
    limit: $limit
    offset: $offset
  ) { id sn name metadata currentOwner }
}`;

/**
 * Reads collectibles of RMRK 1 and 2 on Kusama. They are remarks, which nodes do not index, so an index is needed that speaks the GraphQL
 * of the RMRK squids (`nftEntities`, `collectionEntities`, `squidStatus`). The reference is the collection id, and accounts are in Kusama's
 * format. Nested items do not count. The format was checked against published sources only, not against a public index.
 */
export async function readRmrk(
  questions: readonly Question[],
  { ask }: Session,
  readDocument: ReadDocument,
): Promise<Answer[]> {
  const grouping = { keyOf: ({ reference }: Question) => reference, size: ownersPerQuestion };
  return answerGroups(service, questions, grouping, async (group) => {
    const owners = [...new Set(group.map(({ account }) => account))];
    const { rows, height } = await readRows(ask, group[0].reference, owners);
    const byOwner = Map.groupBy(rows, (row) => textOf(row.currentOwner, 'an owner'));
    return Promise.all(
      group.map((question) => answer(question, byOwner.get(question.account) ?? [], height, readDocument)),
    );
  });
}

async function readRows(ask: Session['ask'], collection: string, owners: readonly string[]) {
  let height = '';
  const tooMany = `${service} lists more tokens for these owners than the read limit.`;
  const found = await readPages({ maxPages, tooMany }, async (page) => {
    const variables = { collection, owners, limit: rowsPerPage, offset: page * rowsPerPage };
    const { data } = fieldsOf((await ask('', { body: { query, variables } })).body, 'the answer');
    const { squidStatus, collectionEntities, nftEntities } = fieldsOf(data, 'the data');
    const now = digitsOf(fieldsOf(squidStatus, 'the status').height, 'the height');
    if (listOf(collectionEntities, 'the collections').length === 0) {
      throw new ServiceFailed(`${service} does not have collection ${collection}.`);
    }
    // A token may be missed between pages of different heights.
    if (height !== '' && height !== now) throw new ServiceFailed(`${service} advanced to a new block during the read.`);
    height = now;
    const rows = listOf(nftEntities, 'the tokens').map(checkRow);
    return { rows, isLast: rows.length < rowsPerPage };
  });
  return { rows: distinct(found, ({ id }) => String(id)), height };
}

/** Validates the fields that decide who owns a token. */
function checkRow(value: unknown): Fields {
  const row = fieldsOf(value, 'a token');
  nameOf(row.id, 'a token');
  nameOf(row.currentOwner, 'an owner');
  return row;
}

async function answer(
  question: Question,
  rows: readonly Fields[],
  height: string,
  readDocument: ReadDocument,
): Promise<Answer> {
  const read: Answer = { kind: 'read', amount: String(rows.length), block: { number: height } };
  if (!namesTokens(question)) return read;
  const uris = question.needs === 'metadata' ? rows.flatMap((row) => uriOf(row) ?? []) : [];
  const documents = await lookUp(uris, readDocument);
  const tokens = rows.map((row): HeldToken => {
    const uri = uriOf(row);
    const token = { id: textOf(row.id, 'a token'), amount: '1', ...(uri !== undefined && { uri }) };
    if (question.needs !== 'metadata') return token;
    const document = uri === undefined ? {} : known(documents, uri);
    return { ...token, ...(document && { metadata: { ...(row.name ? { name: row.name } : {}), ...document } }) };
  });
  return { ...read, tokens };
}

function uriOf({ metadata }: Fields): string | undefined {
  return typeof metadata === 'string' && metadata !== '' ? metadata : undefined;
}
