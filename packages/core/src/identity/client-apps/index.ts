import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { clientAppsErasure } from './forget.ts';
import { clientAppJobs } from './jobs.ts';
import { clientAppKeyOperations } from './key-operations.ts';
import { clientApps, clientSecretOperations } from './operations.ts';

export { checkWebhook } from './check-fields.ts';
export {
  actionsOn,
  ClientApplication,
  ClientApplicationCreate,
  ClientApplicationPage,
  type ClientAppStatus,
  clientAppStatuses,
} from './client-app.ts';
export { createDevelopmentApp, type DevelopmentApp } from './create-development-app.ts';
export { type Decide, type Decision, decideClientApp, decisions } from './decide.ts';
export { examineClientApp, type Finding } from './examine.ts';
export {
  type AskingApp,
  type FoundClient,
  findAppOfOrigin,
  findClientByApiKey,
  findClientRef,
  findRedirectTargets,
  isKnownOrigin,
  namesOfApps,
  type RedirectTargets,
} from './find-client.ts';
export { findOauthClient, isClientSecret, type OauthClient } from './find-oauth-client.ts';
export { clientIdsOf } from './forget.ts';
export { clientApps } from './operations.ts';
export { ownApp } from './own-app.ts';
export { findPlanOfApp } from './plan-of-app.ts';
export { keepOwners } from './queries.ts';
export { listClientApps, ownerOfClientApp, pageOfClientApps } from './reads.ts';
export { disableWebhook, enableWebhook, resetWebhookSecret } from './switch-webhook.ts';

export const clientAppsModule = defineModule('client-apps', {
  resources: [clientApps, ownOperations([...clientSecretOperations, ...clientAppKeyOperations])],
  jobs: clientAppJobs,
  erasures: [clientAppsErasure],
  tables: ['client_apps', 'client_app_origins'],
});
