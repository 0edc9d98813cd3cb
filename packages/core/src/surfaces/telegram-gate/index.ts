import { defineModule, type Erasure } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { forgetInBypasses } from './bypasses.ts';
import { gateJobs } from './jobs.ts';
import { gateOperations } from './operations.ts';
import { tagOrderOperations } from './tag-order.ts';

export {
  deleteOldBypasses,
  invitationName,
  recordBypass,
  recordRoomBypass,
  selectWays,
  takenWays,
  type Way,
} from './bypasses.ts';
export {
  deleteOldQueries,
  endJoinQuery,
  findJoinQuery,
  findTelegramQuery,
  type JoinOutcome,
  type JoinQueryRow,
  markPageShown,
  putJoinQuery,
} from './join-queries.ts';
export { remedyFor, titleOfWay } from './operations.ts';
export { readTagRoles } from './tag-roles.ts';

const gateErasure: Erasure = {
  columns: [
    'telegram_join_queries.user_id',
    'gate_bypasses.user_id',
    'gate_bypasses.user_name',
    'gate_bypasses.by_id',
    'gate_bypasses.by_name',
    'gate_bypasses.link_name',
  ],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId }) => {
    await tx.deleteFrom('telegram_join_queries').where('user_id', '=', userId).execute();
    await forgetInBypasses(tx, userId);
  },
};

/**
 * How people come into gated chats: the requests that the bot is asked about on Telegram, and the joins that went around it, also into rooms
 * of Matrix.
 */
export const telegramGateModule = defineModule('telegram-gate', {
  resources: [ownOperations([...gateOperations, ...tagOrderOperations] as const)],
  jobs: gateJobs,
  erasures: [gateErasure],
  tables: ['telegram_join_queries', 'gate_bypasses', 'gate_ways', 'revoked_ways', 'gate_settings'],
});
