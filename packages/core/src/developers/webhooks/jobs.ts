import type { Schedule } from '@latchkey/kernel';
import { deliver } from './deliver.ts';
import { fanOut } from './fan-out.ts';
import { removeOld } from './remove-old.ts';

export const webhookJobs = [fanOut, deliver, removeOld] as const;

export const webhookSchedules: readonly Schedule[] = [
  { name: 'webhooks.remove-old', cron: '17 3 * * *', job: removeOld },
];
