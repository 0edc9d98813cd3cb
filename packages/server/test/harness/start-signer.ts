import { migrate, signerUrlOf } from '@latchkey/db';
import { type RunningSigner, startSigner } from '../../src/signer/run.ts';
import type { TestServer } from './test-server.ts';

/** The signer of a test server, under its own role. In a process of its own it is tested elsewhere. */
export async function startTestSigner({ databaseUrl, config, log }: TestServer): Promise<RunningSigner> {
  // A copy of a database has not the rights that were granted on it.
  await migrate(databaseUrl);
  return startSigner(config, { log: log.for('signer'), databaseUrl: signerUrlOf(databaseUrl) });
}
