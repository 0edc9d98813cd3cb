import type { Erasure } from '../../shared/module.ts';

/** Forgets the questions about roles that a person, or a program of the person, asked. */
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
