import { announce, contextFor, jobKinds, type Services, schedules } from '@latchkey/core';
import { startWorker, type Worker } from '@latchkey/db';
import { createAjv } from '@latchkey/kernel/validate';
import type { Config } from '../config.ts';

const ajv = createAjv({ validateFormats: false });

/** Starts running jobs and schedules. */
export function runWorker(services: Services, config: Pick<Config, 'workerConcurrency'>): Worker {
  return startWorker({
    db: services.db,
    kinds: jobKinds,
    schedules,
    makeContext: (kind) => contextFor(services, { kind: 'system', job: kind.name }),
    validate: (kind, payload) => {
      const isValid = ajv.validate(kind.payload, payload);
      return isValid ? undefined : ajv.errorsText(ajv.errors, { dataVar: 'payload' });
    },
    random: services.random,
    log: services.log.for('jobs'),
    concurrency: config.workerConcurrency,
    leaseSeconds: 30,
    gaveUp: () => {
      announce(services.db.system, { changed: 'jobs', operator: true }).catch((error: unknown) =>
        services.log.for('jobs').debug('Failed to notify the operator’s pages of a job.', { reason: String(error) }),
      );
    },
  });
}
