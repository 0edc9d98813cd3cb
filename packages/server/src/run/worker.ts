import { contextFor, jobKinds, type Platform, schedules } from '@latchkey/core';
import { startWorker, type Worker } from '@latchkey/db';
import { Ajv } from 'ajv';
import type { Config } from '../config.ts';

const ajv = new Ajv({ strict: false });

/** Starts running jobs and schedules. */
export function runWorker(platform: Platform, config: Pick<Config, 'workerConcurrency'>): Worker {
  return startWorker({
    db: platform.db,
    kinds: jobKinds,
    schedules,
    makeContext: (kind) => contextFor(platform, { kind: 'system', job: kind.name }),
    validate: (kind, payload) => {
      const isValid = ajv.validate(kind.payload, payload);
      return isValid ? undefined : ajv.errorsText(ajv.errors, { dataVar: 'payload' });
    },
    random: platform.random,
    log: platform.log.for('jobs'),
    concurrency: config.workerConcurrency,
    leaseSeconds: 30,
  });
}
