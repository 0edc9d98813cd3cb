import { answerGroups, digitsOf, type Fields, fieldsOf, Malformed, ServiceFailed } from '@latchkey/adapter-kit';
import type { HoldingsReader, Question } from '@latchkey/core/ports';
import { createHttpReader, type HttpHoldingsOptions, plainDecimal, type Session } from '../../http-holdings/index.ts';
import { atOneHeight } from './at-one-height.ts';

const service = 'The BRC-20 indexer';

/**
 * Reads `brc20` balances, whose reference is a ticker, from an indexer with UniSat's open API. The key is sent as a bearer token. Amounts
 * inscribed for a transfer still belong to the account and count.
 */
export function createBrc20Holdings(options: HttpHoldingsOptions): HoldingsReader {
  const read = (questions: readonly Question[], session: Session) =>
    atOneHeight(
      service,
      async () => ({
        number: digitsOf((await readData('/v1/indexer/brc20/bestheight', session)).height, 'the height'),
      }),
      (block) => {
        const keyOf = ({ account, reference }: Question) => `${account} ${reference.toLowerCase()}`;
        return answerGroups(service, questions, { keyOf }, async (group) => {
          const amount = await readBalance(group[0], session);
          return group.map(() => ({ kind: 'read', amount, block }));
        });
      },
    );
  const authorize = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` });
  return createHttpReader({ service, standards: ['brc20'], hasHistory: false, authorize, read }, options);
}

/** Every response is an envelope whose code is zero on success. */
async function readData(path: string, { ask }: Session): Promise<Fields> {
  const { code, data } = fieldsOf((await ask(path)).body, 'the answer');
  if (code !== 0) throw new ServiceFailed(`${service} could not answer.`);
  return fieldsOf(data, 'the data');
}

async function readBalance({ account, reference }: Question, session: Session): Promise<string> {
  const [address, ticker] = [account, reference.toLowerCase()].map(encodeURIComponent);
  const data = await readData(`/v1/indexer/address/${address}/brc20/${ticker}/info`, session);
  const isTicker = typeof data.ticker === 'string' && data.ticker.toLowerCase() === reference.toLowerCase();
  if (!isTicker) throw new Malformed('it is about another ticker');
  const amount = plainDecimal(data.overallBalance, 'the balance');
  if (amount.startsWith('-')) throw new Malformed('the balance is negative');
  return amount;
}
