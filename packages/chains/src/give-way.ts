import { setImmediate as turn } from 'node:timers/promises';

/**
 * Lets other work run between two signatures of one proof: each takes some milliseconds, and a proof may have many, which
 * together would keep every other request waiting.
 */
export async function giveWay(): Promise<void> {
  await turn();
}
