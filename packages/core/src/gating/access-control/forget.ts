import type { Erasure } from '../../shared/module.ts';

/** Deletes the role checks that a person, or an app of theirs, requested. */
export const accessControlErasure: Erasure = {
  columns: ['role_checks.owner_id'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId, clientIds }) => {
    const owners = [userId, ...clientIds.map((id) => `$app/${id}`)];
    await tx
      .deleteFrom('role_checks')
      .where('owner_id', '=', (eb) => eb.fn.any(eb.val(owners)))
      .execute();
  },
};
