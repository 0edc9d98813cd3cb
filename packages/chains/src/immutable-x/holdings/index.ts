import {
  answerGroups,
  digitsOf,
  distinct,
  type Fields,
  fieldsOf,
  listOf,
  Malformed,
  nameOf,
  textOf,
  toAnswers,
} from '@latchkey/adapter-kit';
import type { HeldToken, HoldingsReader, Question } from '@latchkey/core/ports';
import {
  createHttpReader,
  type HttpHoldingsOptions,
  heldTokens,
  readPages,
  type Session,
} from '../../http-holdings/index.ts';

const service = 'Immutable X';
const assetsPerPage = 200;
const maxPages = 50;

/** Reads collectibles on Immutable X (`immutable_x`) by the contract of their collection, over its REST API. */
export function createImmutableXHoldings(options: HttpHoldingsOptions): HoldingsReader {
  const read = (questions: readonly Question[], session: Session) => {
    const keyOf = ({ account, reference }: Question) => `${account} ${reference}`.toLowerCase();
    return answerGroups(service, questions, { keyOf }, async (group) => {
      const assets = await readAssets(group[0], session);
      return toAnswers(service, group, (question) => {
        const held = assets.map((asset) => readToken(asset, question));
        return heldTokens(
          question,
          distinct(held, ({ id }) => id),
        );
      });
    });
  };
  return createHttpReader({ service, standards: ['immutable_x'], hasHistory: false, read }, options);
}

function readAssets({ account, reference }: Question, { ask }: Session): Promise<Fields[]> {
  let cursor: string | undefined;
  const tooMany = 'The account holds more assets than the read limit.';
  return readPages({ maxPages, tooMany }, async () => {
    // Assets being withdrawn to Ethereum or burned are no longer held here.
    const query = { user: account, collection: reference, status: 'imx', page_size: String(assetsPerPage), cursor };
    const body = fieldsOf((await ask('/v1/assets', { query })).body, 'the answer');
    const rows = listOf(body.result, 'the list of assets').map((asset) => fieldsOf(asset, 'an asset'));
    if (digitsOf(body.remaining, 'what remains') === '0') return { rows, isLast: true };
    cursor = textOf(body.cursor, 'the cursor');
    if (cursor === '') throw new Malformed('something remains, but no cursor leads to it');
    return { rows, isLast: false };
  });
}

function readToken(asset: Fields, { account, reference, needs }: Question): HeldToken {
  const isMeant = isSame(asset.user, account) && isSame(asset.token_address, reference);
  if (!isMeant) throw new Malformed('an asset belongs to another owner or collection');
  const metadata = needs === 'metadata' && asset.metadata ? fieldsOf(asset.metadata, 'the metadata') : undefined;
  const uri = typeof asset.uri === 'string' ? asset.uri : undefined;
  return { id: nameOf(asset.token_id, 'a token id'), amount: '1', ...(uri && { uri }), ...(metadata && { metadata }) };
}

function isSame(written: unknown, address: string): boolean {
  return textOf(written, 'an address').toLowerCase() === address.toLowerCase();
}
