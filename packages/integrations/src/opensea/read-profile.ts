import { baseOf, fieldsOf, Malformed, requestJson, ServiceFailed } from '@latchkey/adapter-kit';
import type { Marketplace } from '@latchkey/core/ports';
import type { HttpHoldingsOptions } from '../http-holdings/index.ts';

/** Reads the profiles of accounts on OpenSea through its API version 2. The key is sent as X-API-KEY. */
export function createOpenSeaMarketplace({ url, apiKey, timeoutMs, fetch }: HttpHoldingsOptions): Marketplace {
  const headers: Record<string, string> = apiKey === undefined ? {} : { 'x-api-key': apiKey };
  return {
    readProfile: async (account, signal) => {
      const profileUrl = `${baseOf(url)}/api/v2/accounts/${encodeURIComponent(account)}`;
      try {
        const question = { service: 'OpenSea', fetch, timeoutMs, signal, headers, answers: [404] };
        const { status, body } = await requestJson(profileUrl, question);
        if (status === 404) return { kind: 'none' };
        const { address, bio } = fieldsOf(body, 'the account');
        // OpenSea also accepts user names; the profile of another account must not be used for this one.
        if (typeof address !== 'string' || address.toLowerCase() !== account.toLowerCase())
          throw new Malformed('it is about another account');
        return typeof bio === 'string' && bio !== '' ? { kind: 'read', text: bio } : { kind: 'none' };
      } catch (error) {
        if (error instanceof ServiceFailed) return { kind: 'unknown', reason: error.message };
        if (error instanceof Malformed) return { kind: 'unknown', reason: `OpenSea cannot be read: ${error.message}.` };
        throw error;
      }
    },
  };
}
