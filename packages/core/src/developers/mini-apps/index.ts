import { enqueue } from '@latchkey/db';
import type { Erasure, SealedColumn } from '../../shared/module.ts';
import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { installationOperations } from './installation-operations.ts';
import { miniAppJobs, miniAppSchedules } from './jobs.ts';
import { miniAppKeysSealed } from './keys.ts';
import { marketplace } from './marketplace.ts';
import { miniAppOwnOperations, miniapps } from './operations.ts';
import { permissionQuestionsSealed } from './permission-queries.ts';
import './permission-queries.ts';
import { withdrawApp } from './sync-jobs.ts';

export { isSignedByUs, type ReceivedSignature, signatureWindowMs } from './action-signature.ts';
export {
  decideMiniApp,
  examineMiniApps,
  listMiniApps,
  type MiniAppDecision,
  miniAppDecisions,
  pageOfMiniApps,
  probeAgain,
} from './decide.ts';
export { type Forwarded, findApp, forwardInteraction } from './forward.ts';
export { notifyMemberNews } from './jobs.ts';
export { MiniAppRegistration, type MiniAppStatus, miniAppStatuses } from './mini-app.ts';
export { answerPermission, askPermission, isPermissionButton } from './permissions.ts';
export { namesOfMiniApps } from './queries.ts';

/**
 * Deletes a user's mini-apps, which uninstalls them from their communities, and the user's pending permission
 * questions.
 */
const miniAppsErasure: Erasure = {
  columns: ['mini_apps.created_by_id', 'permission_questions.user_id'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId }) => {
    const gone = await tx.deleteFrom('mini_apps').where('created_by_id', '=', userId).returning('id').execute();
    await tx.deleteFrom('permission_questions').where('user_id', '=', userId).execute();
    for (const { id } of gone) await enqueue(tx, withdrawApp, { appId: id }, { key: id });
  },
};

/** Every sealed column of this feature, for a change of the master key. */
const miniAppsSealed: readonly SealedColumn[] = [...miniAppKeysSealed, ...permissionQuestionsSealed];

export const miniappsModule = defineModule('mini-apps', {
  resources: [miniapps, marketplace, ownOperations(miniAppOwnOperations), ownOperations(installationOperations)],
  jobs: miniAppJobs,
  schedules: miniAppSchedules,
  sealed: miniAppsSealed,
  erasures: [miniAppsErasure],
  tables: ['permission_questions', 'mini_apps'],
});
