import type { Erasure } from '../../shared/module.ts';
import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { memberExportJobs, memberExportSchedules } from './jobs.ts';
import { memberExportOperations } from './operations.ts';
import { deleteExportsOf } from './queries.ts';

/** Deletes exports that the person created or appears in: an admin can create them again without the person. */
export const memberExportsErasure: Erasure = {
  columns: ['member_exports.created_by', 'member_exports.filter', 'member_export_parts.content'],
  stage: 'once-settled',
  forget: (_ctx, tx, { userId }) => deleteExportsOf(tx, userId, userId.slice(userId.lastIndexOf('#') + 1)),
};

export const memberExportsModule = defineModule('member-exports', {
  resources: [ownOperations(memberExportOperations)],
  jobs: memberExportJobs,
  schedules: memberExportSchedules,
  erasures: [memberExportsErasure],
  tables: ['member_exports', 'member_export_parts'],
});
