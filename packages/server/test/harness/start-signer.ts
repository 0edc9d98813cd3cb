import { signerUrlOf } from '@latchkey/db';
import { type RunningSigner, startSigner } from '../../src/signer/run.ts';
import type { TestServer } from './test-server.ts';

/** Starts the signer of a test server, with its own role. Its separate process is tested elsewhere. */
export function startTestSigner({ databaseUrl, config, log }: TestServer): Promise<RunningSigner> {
  return startSigner(config, { log: log.for('signer'), databaseUrl: signerUrlOf(databaseUrl) });
}
