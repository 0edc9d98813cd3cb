import { answerEach, digitsOf, fieldsOf, Malformed, ServiceFailed, unknown } from '@latchkey/adapter-kit';
import type { HoldingsReader, Question } from '@latchkey/core/ports';
import { type Ask, createHttpReader, type HttpHoldingsOptions } from '../http-holdings/index.ts';

const service = 'Galxe';

const query = `query Participation($campaign: ID!, $account: String!) {
  campaign(id: $campaign) { id whitelistInfo(address: $account) { address usedCount } }
}`;

/**
 * Reads `galxe` of `galxe:galxe`: how often an account has claimed in a campaign, which is the reference, over Galxe's GraphQL. The URL is
 * that of the endpoint itself; the key, if needed, is sent as access-token.
 */
export function createGalxeHoldings(options: HttpHoldingsOptions): HoldingsReader {
  const reads: HoldingsReader['reads'] = ({ chain, standard }) => chain === 'galxe:galxe' && standard === 'galxe';
  const headers: Record<string, string> = options.apiKey === undefined ? {} : { 'access-token': options.apiKey };
  const read = (questions: readonly Question[], ask: Ask) =>
    answerEach(service, questions, async ({ account, reference }) => {
      const variables = { campaign: reference, account: account.toLowerCase() };
      const { data, errors } = fieldsOf((await ask('', { body: { query, variables } })).body, 'the answer');
      if (errors !== undefined && errors !== null) throw new ServiceFailed(`${service} could not answer.`);
      const { campaign } = fieldsOf(data, 'the data');
      if (campaign === null) return unknown(`${service} does not have this campaign.`);
      const { whitelistInfo } = fieldsOf(campaign, 'the campaign');
      const { address, usedCount } = fieldsOf(whitelistInfo, 'the participation');
      if (String(address).toLowerCase() !== account.toLowerCase()) throw new Malformed('it is about another account');
      return { kind: 'read', amount: digitsOf(usedCount, 'the number of claims') };
    });
  return createHttpReader({ service, reads, headers, read }, options);
}
