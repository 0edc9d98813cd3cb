import type { Config } from '../config.ts';
import type { RootLog } from '../log.ts';
import { Lifetime } from '../run/lifetime.ts';
import { firstSignal } from '../run/signals.ts';
import { assertApart } from './assert-apart.ts';
import { findSignerDatabase } from './find-database.ts';
import { startSigner } from './start.ts';

/** What a signer that was started by another process says to it when it answers requests. */
export const readyMessage = 'ready';

/** Runs the signer alone until a signal ends it, or the process that started it. */
export async function runSigner(config: Config, log: RootLog): Promise<void> {
  await assertApart(config);
  if (config.baseUrl === undefined && process.send === undefined)
    log.warn('LATCHKEY_BASE_URL is not set: the signer takes the local address for the one of the servers.');
  const lifetime = new Lifetime(log);
  const end = Promise.race([firstSignal(), parentGone()]);
  try {
    const database = await findSignerDatabase(config, log);
    lifetime.add('the database', database.stop);
    const signer = await startSigner(config, { log: log.for('signer'), databaseUrl: database.url });
    lifetime.add('the signer', signer.stop);
    // Whoever started it speaks for it; alone it speaks for itself.
    if (process.send === undefined) log.info('Latchkey signer is running.');
    else process.send(readyMessage);
    await end;
  } finally {
    await lifetime.end();
  }
}

/** A parent that is killed cannot pass a signal on, but the channel to it breaks. Without a parent this never ends. */
function parentGone(): Promise<void> {
  return new Promise((resolve) => {
    if (process.send !== undefined) process.once('disconnect', resolve);
  });
}
