import type { TestServer } from './test-server.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes are looked into by the code that asked for them.
export type Call = (method: string, path: string, json?: unknown) => Promise<any>;

/** Calls the API as a user, and throws if the call fails. */
export function caller(server: TestServer, authorization: string): Call {
  return async (method, path, json) => {
    const answer = await server.request(method, path, {
      headers: { authorization },
      ...(json !== undefined && { json }),
    });
    if (answer.status >= 300) throw new Error(`${method} ${path} was answered with ${answer.status}: ${answer.text}`);
    return answer.json;
  };
}
