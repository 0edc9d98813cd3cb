import type { TestContext } from 'node:test';
import type { Question } from '@latchkey/core/ports';
import type { HttpTwin } from '@latchkey/twins/http-twin';
import { patientMs } from '@latchkey/twins/testing';

export const alice = '0x00000000000000000000000000000000000000a1';
export const bob = '0x00000000000000000000000000000000000000b2';

/** A twin that is gone when the test is over, and what an adapter needs to reach it. */
export async function startTwin<Twin extends HttpTwin>(t: TestContext, starting: Promise<Twin>) {
  const twin = await starting;
  t.after(twin.stop);
  return { ...twin, options: { url: twin.url, timeoutMs: patientMs, fetch } };
}

/** Makes questions of one chain and standard. */
export function asking(chain: string, standard: string) {
  return (reference: string, account = alice, more: Partial<Question> = {}): Question => ({
    chain,
    standard,
    reference,
    account,
    needs: 'amount',
    ...more,
  });
}
