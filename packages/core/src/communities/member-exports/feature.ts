import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { memberExportsErasure } from './forget.ts';
import { memberExportJobs, memberExportSchedules } from './jobs.ts';
import { memberExportOperations } from './operations.ts';

export const memberExportsFeature = feature('member-exports', {
  resources: [ownOperations(memberExportOperations)],
  jobs: memberExportJobs,
  schedules: memberExportSchedules,
  erasures: [memberExportsErasure],
  tables: ['member_exports', 'member_export_parts'],
});
