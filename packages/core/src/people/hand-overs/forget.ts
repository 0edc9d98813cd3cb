import type { Erasure } from '../../machinery/erasures/index.ts';
import { deleteHandOversOf } from './queries.ts';

/** Forgets what a person had begun to carry over to another browser. */
export const handOversErasure: Erasure = {
  columns: ['hand_overs.user_id'],
  stage: 'at-once',
  forget: (_ctx, tx, { userId }) => deleteHandOversOf(tx, userId),
};
