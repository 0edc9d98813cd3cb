import {
  answerGroups,
  digitsOf,
  distinct,
  type Fields,
  fieldsOf,
  listOf,
  Malformed,
  nameOf,
  ServiceFailed,
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

const service = 'Stampchain';
const stampsPerPage = 50;
const maxPages = 40;

/**
 * Reads `stamps` through stampchain.io (API version 2). The reference is `stamps` for all of them, the address of a creator, a stamp's
 * number or its asset name (A…). A token's id is its stamp number.
 */
export function createStampHoldings(options: HttpHoldingsOptions): HoldingsReader {
  const read = (questions: readonly Question[], session: Session) =>
    answerGroups(service, questions, { keyOf: ({ account }) => account }, async (group) => {
      const { stamps, block } = await readStamps(group[0].account, session);
      return toAnswers(service, group, (question) => {
        const tokens = stamps
          .filter((stamp) => isMeant(stamp, question.reference))
          .map((stamp) => readToken(stamp, question));
        return heldTokens(question, tokens, block);
      });
    });
  return createHttpReader({ service, standards: ['stamps'], hasHistory: false, read }, options);
}

async function readStamps(account: string, { ask }: Session) {
  let block = '';
  let announced = 0;
  const tooMany = 'The address holds more stamps than the read limit.';
  const stamps = await readPages<Fields>({ maxPages, tooMany }, async (page, before) => {
    const query = { page: String(page + 1), limit: String(stampsPerPage) };
    const { body } = await ask(`/api/v2/stamps/balance/${encodeURIComponent(account)}`, { query });
    const { data, last_block: lastBlock, total } = fieldsOf(body, 'the answer');
    const height = digitsOf(lastBlock, 'the newest block');
    if (block !== '' && block !== height)
      throw new ServiceFailed(`${service} advanced to a new block during the read.`);
    block = height;
    announced = Number(digitsOf(total, 'the number of stamps'));
    const rows = listOf(data, 'the list of stamps').map(checkStamp);
    return { rows, isLast: before.length + rows.length >= announced };
  });
  const held = distinct(stamps, ({ cpid }) => String(cpid));
  if (held.length !== announced) throw new Malformed('the stamps do not match the announced count');
  return { stamps: held, block: { number: block } };
}

/** Validates the fields that decide whether a stamp counts. */
function checkStamp(value: unknown): Fields {
  const stamp = fieldsOf(value, 'a stamp');
  nameOf(stamp.creator, 'a creator');
  nameOf(stamp.cpid, 'the name of an asset');
  if (!Number.isSafeInteger(stamp.stamp)) throw new Malformed('a stamp number is invalid');
  return stamp;
}

function isMeant({ creator, cpid, stamp }: Fields, reference: string): boolean {
  return [creator, cpid, String(stamp), 'stamps'].includes(reference);
}

function readToken(stamp: Fields, { needs }: Question): HeldToken {
  // The unit in which the balance of a divisible asset is returned is not documented, and a wrong guess is off by a factor of 100 million.
  if (stamp.divisible !== 0 && stamp.divisible !== false) throw new Malformed('a stamp is divisible');
  const { cpid, creator, stamp_url: image, stamp_mimetype: contentType } = stamp;
  const metadata = { cpid, creator, image, contentType };
  const amount = digitsOf(stamp.balance, 'a balance');
  return { id: String(stamp.stamp), amount, ...(needs === 'metadata' && { metadata }) };
}
