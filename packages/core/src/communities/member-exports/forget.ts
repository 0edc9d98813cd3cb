import type { Erasure } from '../../machinery/erasures/index.ts';
import { deleteExportsOf } from './queries.ts';

/** Forgets exports that the person made, or stands in: an admin can make them again without the person. */
export const memberExportsErasure: Erasure = {
  columns: ['member_exports.created_by', 'member_exports.filter', 'member_export_parts.content'],
  stage: 'once-settled',
  forget: (_ctx, tx, { userId }) => deleteExportsOf(tx, userId, userId.slice(userId.lastIndexOf('#') + 1)),
};
