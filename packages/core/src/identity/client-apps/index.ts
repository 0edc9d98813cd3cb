import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { clientAppJobs } from './jobs.ts';
import { clientAppKeyOperations } from './key-operations.ts';
import { oauthSettingsOperations } from './oauth-settings.ts';
import { clientApps, clientSecretOperations } from './operations.ts';
import { clientAppsErasure } from './queries.ts';

export { disableWebhook, enableWebhook, resetWebhookSecret } from './change.ts';
export { checkWebhook } from './check-fields.ts';
export {
  actionsOn,
  ClientApplication,
  ClientApplicationCreate,
  ClientApplicationPage,
  type ClientAppStatus,
  clientAppStatuses,
  clientSigningAlgs,
  idTokenAlgs,
  type OauthSettings,
} from './client-app.ts';
export { ClientDocumentError, clientIdLimit, isDocumentAddress, readClientDocument } from './client-documents.ts';
export { createDevelopmentApp, type DevelopmentApp } from './create.ts';
export { type Decide, type Decision, decideClientApp, decisions, examineClientApp, type Finding } from './examine.ts';
export {
  type AskingApp,
  type FoundClient,
  findAppOfOrigin,
  findClientByApiKey,
  findClientOfOrganization,
  findClientRef,
  findRedirectTargets,
  isKnownOrigin,
  namesOfApps,
  type RedirectTargets,
} from './find-client.ts';
export { findOauthClient, isClientSecret, type OauthClient } from './find-oauth-client.ts';
export { clientApps } from './operations.ts';
export { clientIdsOf, keepOwners } from './queries.ts';
export { findPlanOfApp, listClientApps, ownApp, ownerOfClientApp, pageOfClientApps } from './reads.ts';
export {
  type ClientMetadata,
  findRegistration,
  type Registered,
  RegistrationError,
  registerClient,
  removeRegistration,
  replaceRegistration,
} from './registration.ts';

export const clientAppsModule = defineModule('client-apps', {
  resources: [
    clientApps,
    ownOperations([...clientSecretOperations, ...clientAppKeyOperations, ...oauthSettingsOperations]),
  ],
  jobs: clientAppJobs,
  erasures: [clientAppsErasure],
  tables: ['client_apps', 'client_app_origins'],
});
