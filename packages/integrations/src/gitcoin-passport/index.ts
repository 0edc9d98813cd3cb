import { answerEach, fieldsOf, Malformed, ServiceFailed, unknown } from '@latchkey/adapter-kit';
import type { HoldingsReader, Question } from '@latchkey/core/ports';
import { type Ask, createHttpReader, type HttpHoldingsOptions } from '../http-holdings/index.ts';

const service = 'Gitcoin Passport';

export interface PassportHoldingsOptions extends HttpHoldingsOptions {
  /** The scorer for the reference `default`. */
  scorerId: string;
}

/** Reads the `score` of `gitcoin:passport`. The reference is a scorer id. The key is sent as X-API-KEY. */
export function createPassportHoldings(options: PassportHoldingsOptions): HoldingsReader {
  const reads: HoldingsReader['reads'] = ({ chain, standard }) => chain === 'gitcoin:passport' && standard === 'score';
  const headers: Record<string, string> = options.apiKey === undefined ? {} : { 'x-api-key': options.apiKey };
  const read = (questions: readonly Question[], ask: Ask) =>
    answerEach(service, questions, async ({ account, reference }) => {
      const scorer = reference === 'default' ? options.scorerId : reference;
      if (!/^\d{1,12}$/.test(scorer)) return unknown('A Gitcoin Passport scorer must be a number.');
      const { body } = await ask(`/v2/stamps/${scorer}/score/${encodeURIComponent(account)}`);
      const { address, score, error } = fieldsOf(body, 'the score');
      if (error !== undefined && error !== null && error !== '')
        throw new ServiceFailed(`${service} could not calculate the score.`);
      if (String(address).toLowerCase() !== account.toLowerCase()) throw new Malformed('it is about another account');
      return { kind: 'read', amount: plainScore(score) };
    });
  return createHttpReader({ service, reads, headers, read }, options);
}

function plainScore(score: unknown): string {
  const [, whole, fraction = ''] = (typeof score === 'string' && /^(\d{1,9})(?:\.(\d{1,30}))?$/.exec(score)) || [];
  if (whole === undefined) throw new Malformed('the score is not a decimal');
  const kept = fraction.replace(/0+$/, '');
  return BigInt(whole) + (kept && `.${kept}`);
}
