import type { Headers } from './refused-credentials.ts';
import type { Draft } from './sample-request.ts';
import type { TestAnswer, TestServer } from './test-server.ts';
import { writeRequest } from './write-request.ts';

/** Makes a server trust the X-Forwarded-For header of the tests. */
export const behindProxy = { LATCHKEY_TRUSTED_PROXIES: '127.0.0.1' };

let visitors = 0;

/** Returns a new IP address, so that no earlier failures count against a request. */
export function newAddress(): string {
  visitors += 1;
  return `10.${(visitors >> 16) & 255}.${(visitors >> 8) & 255}.${visitors & 255}`;
}

/** Sends a request from a new address. */
export function visit(server: TestServer, draft: Draft, headers: Headers): Promise<TestAnswer> {
  const { method, target, headers: own, body } = writeRequest(draft);
  return server.request(method, target, {
    headers: { ...Object.fromEntries(own), 'x-forwarded-for': newAddress(), ...headers },
    ...(body !== undefined && { body }),
  });
}
