import { answerGroups, digitsOf, fieldsOf, listOf, Malformed, textOf } from '@latchkey/adapter-kit';
import type { BlockPoint, HoldingsReader, Question } from '@latchkey/core/ports';
import { createHttpReader, fromUnits, type HttpHoldingsOptions, type Session } from '../../http-holdings/index.ts';
import { atOneHeight } from './at-one-height.ts';

const service = 'Esplora';
const bitcoinDecimals = 8;

/** Reads `native` bitcoin through Esplora, the API of blockstream.info and mempool.space. Only confirmed coins count. */
export function createEsploraHoldings(options: HttpHoldingsOptions): HoldingsReader {
  const read = (questions: readonly Question[], session: Session) =>
    atOneHeight(
      service,
      () => findTip(session),
      (block) =>
        answerGroups(service, questions, { keyOf: ({ account }) => account }, async (group) => {
          const amount = await readBalance(group[0].account, session);
          return group.map(() => ({ kind: 'read', amount, block }));
        }),
    );
  return createHttpReader({ service, standards: ['native'], hasHistory: false, read }, options);
}

async function findTip({ ask }: Session): Promise<BlockPoint> {
  const [newest] = listOf((await ask('/blocks')).body, 'the list of blocks');
  const { id, height } = fieldsOf(newest, 'the newest block');
  return { number: digitsOf(height, 'the height'), hash: textOf(id, 'the hash') };
}

async function readBalance(account: string, { ask }: Session): Promise<string> {
  const body = fieldsOf((await ask(`/address/${encodeURIComponent(account)}`)).body, 'the address');
  if (body.address !== account) throw new Malformed('it is about another address');
  const stats = fieldsOf(body.chain_stats, 'the sums');
  const received = BigInt(digitsOf(stats.funded_txo_sum, 'what was received'));
  const spent = BigInt(digitsOf(stats.spent_txo_sum, 'what was spent'));
  if (spent > received) throw new Malformed('more was spent than received');
  return fromUnits(received - spent, bitcoinDecimals);
}
