import { type Client, createClient } from '@latchkey/client';
import type { Api } from '@latchkey/core';

/** Calls the published operations of the server that the page came from. */
export type Call = Client<Api>;

/** The token that came with the page counts no more. */
export class PageExpired extends Error {}

export function callAs(token: string): Call {
  return createClient<Api>({
    baseUrl: location.origin,
    authorization: `AE ${token}`,
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (response.status === 401) throw new PageExpired();
      return response;
    },
  });
}

export function callAsAnyone(): Call {
  return createClient<Api>({ baseUrl: location.origin });
}
