import { startWorker } from '@latchkey/db';
import { contextFor, type Services } from '../../shared/context.ts';
import { patienceMs } from '../../testing/index.ts';
import { adminNoticeJobs } from './jobs.ts';

export { findNews } from './find.ts';

/** Finds and sends new notices, as the worker would within a minute. */
export async function notifyNews(services: Services): Promise<void> {
  const worker = startWorker({
    db: services.db,
    patienceMs,
    kinds: [...adminNoticeJobs],
    log: services.log,
    random: services.random,
    makeContext: (kind) => contextFor(services, { kind: 'system', job: kind.name }),
    validate: () => undefined,
  });
  const [find] = adminNoticeJobs;
  const run = { id: '1', attempt: 1, signal: new AbortController().signal };
  await find.run(contextFor(services, { kind: 'system', job: find.name }), {}, run);
  await worker.idle();
  await worker.stop(1_000);
}
