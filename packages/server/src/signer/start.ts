import { checkSignerKey, countWaitingRequests, rewrapKeys, serveRequests } from '@latchkey/core';
import { prepareSignerSchema } from '@latchkey/db';
import type { Log } from '@latchkey/kernel';
import { composeSigner, type SignerConfig } from '../compose/hosted-wallets.ts';

export interface RunningSigner {
  /** How many requests wait, and for how long. Fails while the database does not answer. */
  waiting(): ReturnType<typeof countWaitingRequests>;
  stop(): Promise<void>;
}

/**
 * Starts answering requests for keys and signatures. `databaseUrl` is the database as the signer's role opens it. It
 * listens on nothing: all that reaches it comes through the database. (A port for metrics is opened by setting only.)
 */
export async function startSigner(
  config: SignerConfig,
  { log, databaseUrl }: { log: Log; databaseUrl: string },
): Promise<RunningSigner> {
  const { isExposed } = await prepareSignerSchema(databaseUrl);
  if (isExposed)
    log.warn('The role of the servers can become the signer’s, so the database does not keep the keys from it.');
  const { ctx, close } = await composeSigner(config, { log, databaseUrl });
  try {
    await checkSignerKey(ctx);
    const { rewrapped, unreadable } = await rewrapKeys(ctx);
    if (rewrapped > 0) log.info('Keys are wrapped under the current master key of the signer.', { rewrapped });
    if (unreadable.length > 0)
      log.error('Keys open with none of the master keys of the signer.', { count: unreadable.length });
  } catch (error) {
    await close();
    throw error;
  }
  const served = serveRequests(ctx);
  return {
    waiting: () => countWaitingRequests(ctx.db.system, ctx.clock()),
    stop: async () => {
      await served.stop();
      await close();
    },
  };
}
