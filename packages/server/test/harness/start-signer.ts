import { migrate, signerUrlOf } from '@latchkey/db';
import { type RunningSigner, startSigner } from '../../src/signer/run.ts';
import type { TestServer } from './test-server.ts';

/** Starts the signer of a test server, with its own role. Its separate process is tested elsewhere. */
export async function startTestSigner({ databaseUrl, config, log }: TestServer): Promise<RunningSigner> {
  // A copy of a database lacks the privileges that were granted on it.
  await migrate(databaseUrl);
  return startSigner(config, { log: log.for('signer'), databaseUrl: signerUrlOf(databaseUrl) });
}
