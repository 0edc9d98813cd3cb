import { job, type Schedule, shape, T, text } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { keptDays } from './export.ts';
import { deleteOldExports } from './queries.ts';
import { writeMembers } from './write.ts';

export const writeExport = job(
  'member-exports.write',
  { payload: shape(T.Object({ exportId: text('The export.', { maxLength: 64 }) })), timeoutSeconds: 600 },
  (ctx: Context, { exportId }, { signal }) => writeMembers(ctx, exportId, signal),
);

const batchSize = 100;

export const removeOldExports = job(
  'member-exports.remove-old',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: Pick<Context, 'clock' | 'db'>, _payload, { signal }) => {
    const before = new Date(ctx.clock().getTime() - keptDays * 24 * 60 * 60 * 1000);
    while (!signal.aborted && (await deleteOldExports(ctx.db.system, before, batchSize)) === batchSize);
  },
);

export const memberExportJobs = [writeExport, removeOldExports] as const;

export const memberExportSchedules: readonly Schedule[] = [
  { name: 'member-exports.remove-old', cron: '23 * * * *', job: removeOldExports },
];
