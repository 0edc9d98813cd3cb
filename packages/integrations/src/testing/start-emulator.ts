import type { TestContext } from 'node:test';
import type { Question } from '@latchkey/core/ports';
import type { HttpEmulator } from '@latchkey/emulators/http-emulator';
import { patientMs } from '@latchkey/emulators/testing';

export const alice = '0x00000000000000000000000000000000000000a1';
export const bob = '0x00000000000000000000000000000000000000b2';

/** Starts an emulator that stops when the test ends, and returns what an adapter needs to reach it. */
export async function startEmulator<Emulator extends HttpEmulator>(t: TestContext, starting: Promise<Emulator>) {
  const emulator = await starting;
  t.after(emulator.stop);
  return { ...emulator, options: { url: emulator.url, timeoutMs: patientMs, fetch } };
}

/** Returns a function that creates questions of one chain and standard. */
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
