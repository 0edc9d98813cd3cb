import { answerEach, fieldsOf, Malformed } from '@latchkey/adapter-kit';
import type { HoldingsReader, Question } from '@latchkey/core/ports';
import { type Ask, createHttpReader, type HttpHoldingsOptions } from '../http-holdings/index.ts';

export interface ScoreHoldingsOptions extends HttpHoldingsOptions {
  /** The display name of the service. */
  service: string;
  chain: string;
  standard: string;
}

/**
 * Reads one number about an account from a score service, through a small HTTP interface of our own:
 * `GET {url}/{reference}/{account}` returns `{"account": "…", "amount": "12.5"}`, the amount being a decimal as text.
 *
 * It replaces services whose own protocol is not public, such as TrustSwap's SwapScore (`trustswap`) and the ROOM of
 * the Museum of Crypto Art (`moca`): operators with access to one put this interface in front of it. The key is sent as a
 * bearer token.
 */
export function createScoreHoldings(options: ScoreHoldingsOptions): HoldingsReader {
  const { service, chain, standard, apiKey } = options;
  const reads: HoldingsReader['reads'] = (question) => question.chain === chain && question.standard === standard;
  const headers: Record<string, string> = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const read = (questions: readonly Question[], ask: Ask) =>
    answerEach(service, questions, async (question) => {
      const [reference, account] = [question.reference, question.account].map(encodeURIComponent);
      const body = fieldsOf((await ask(`/${reference}/${account}`)).body, 'the score');
      if (String(body.account).toLowerCase() !== question.account.toLowerCase())
        throw new Malformed('it is about another account');
      const { amount } = body;
      if (typeof amount !== 'string' || !/^(0|[1-9]\d{0,60})(\.\d{1,40})?$/.test(amount))
        throw new Malformed('the amount is not a decimal');
      return { kind: 'read', amount: amount.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '') };
    });
  return createHttpReader({ service, reads, headers, read }, options);
}
