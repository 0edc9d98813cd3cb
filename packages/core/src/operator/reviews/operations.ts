import { admin, choice, listOf, NoContent, op, pageOf, pageParams, T, text } from '@latchkey/kernel';
import { MiniAppRegistration, miniAppStatuses, pageOfMiniApps } from '../../communities/miniapps/index.ts';
import {
  ClientApplication,
  ClientApplicationPage,
  clientAppStatuses,
  pageOfClientApps,
} from '../../developers/client-apps/index.ts';
import {
  AppExamination,
  ApplicationDecision,
  DevelopmentAppBody,
  MiniAppDecisionBody,
  SigningDomain,
  SigningDomainBody,
} from './decisions.ts';
import {
  allowDomain,
  createDevelopmentApplication,
  decideApplication,
  decideMiniAppReview,
  examineApplication,
  listAllowedDomains,
  removeDomain,
} from './review.ts';

const search = T.Optional(text('An id, or the beginning of a name in any capitals.', { minLength: 1, maxLength: 200 }));
const appId = text('The client id.', { minLength: 1, maxLength: 64 });
const miniAppId = text('The id of the mini-app.', { minLength: 1, maxLength: 128 });

const applicationReviews = [
  op(
    'GET /latchkey/operator/applications',
    {
      id: 'listAllApplications',
      summary: 'List all applications',
      description:
        'Returns the client applications of everybody, newest first, without their secrets. For the operator.',
      access: admin(),
      params: { status: T.Optional(choice('Only those in this status.', clientAppStatuses)), search, ...pageParams },
      returns: ClientApplicationPage,
      paginated: 'token',
    },
    pageOfClientApps,
  ),
  op(
    'POST /latchkey/operator/applications',
    {
      id: 'createDevelopmentApplication',
      summary: 'Create an approved application',
      description:
        'Creates a client application that works at once, for development. The response shows its key and secrets for the only time. For the operator.',
      audit: 'app.create',
      onRecord: ['name', 'scopes', 'redirectUris', 'reason'],
      facts: {
        senderDecides: 'name userId scopes redirectUris clientType reason',
        samples: { name: 'Trial', scopes: 'user:read', redirectUris: 'https://app.example/callback' },
      },
      access: admin(),
      body: DevelopmentAppBody,
      returns: ClientApplication,
      errors: ['VALIDATION_FAILED'],
      repeatable: true,
    },
    createDevelopmentApplication,
  ),
  op(
    'POST /latchkey/operator/applications/{id}/decision',
    {
      id: 'decideApplication',
      summary: 'Review an application',
      description:
        'Approves, rejects, lists or revokes a client application, and grants its scopes. Fails with STATE_CONFLICT if the application is not in a status that allows it. For the operator.',
      audit: 'app.decide',
      onRecord: ['decision', 'scopes', 'notes'],
      facts: {
        needsNoKey: 'A decision that was made already is refused.',
        senderDecides: 'decision scopes notes',
        samples: { decision: 'approve', scopes: 'user:read' },
      },
      access: admin(),
      params: { id: appId },
      body: ApplicationDecision,
      returns: ClientApplication,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'VALIDATION_FAILED'],
    },
    decideApplication,
  ),
  op(
    'POST /latchkey/operator/applications/{id}/examination',
    {
      id: 'examineApplication',
      summary: 'Test an application’s set-up',
      description:
        'Checks status, scopes, grants and origins of a client application, sends its webhook a signed test event and one with a wrong signature, and probes the mini-apps of its organization. Changes nothing. For the operator.',
      audit: 'app.examine',
      facts: { needsNoKey: 'Changes nothing.' },
      access: admin(),
      params: { id: appId },
      returns: AppExamination,
      errors: ['ENTITY_NOT_FOUND'],
    },
    examineApplication,
  ),
] as const;

const miniAppReviews = [
  op(
    'GET /latchkey/operator/mini-apps',
    {
      id: 'listAllMiniApps',
      summary: 'List all mini-apps',
      description: 'Returns the mini-apps of everybody, newest first. For the operator.',
      access: admin(),
      params: { status: T.Optional(choice('Only those in this status.', miniAppStatuses)), search, ...pageParams },
      returns: pageOf(MiniAppRegistration, 'MiniAppRegistrationPage'),
      paginated: 'token',
    },
    pageOfMiniApps,
  ),
  op(
    'POST /latchkey/operator/mini-apps/{id}/decision',
    {
      id: 'decideMiniApp',
      summary: 'Review a mini-app',
      description:
        'Approves, rejects, reopens, lists or revokes a mini-app. Before it is listed it is probed, and one that accepts forged calls stays as it is. Fails with STATE_CONFLICT then, or if its status does not allow the decision. For the operator.',
      audit: 'mini-app.decide',
      onRecord: ['decision', 'notes'],
      facts: {
        needsNoKey: 'A decision that was made already is refused.',
        senderDecides: 'decision notes',
        samples: { decision: 'approve' },
      },
      access: admin(),
      params: { id: miniAppId },
      body: MiniAppDecisionBody,
      returns: MiniAppRegistration,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT'],
    },
    decideMiniAppReview,
  ),
] as const;

const signingDomains = [
  op(
    'GET /latchkey/operator/signing-domains',
    {
      id: 'listSigningDomains',
      summary: 'List allowed signing domains',
      description: 'Returns which typed data applications may have hosted wallets sign. For the operator.',
      access: admin(),
      params: { clientId: T.Optional(text('Only those of this application.', { minLength: 1, maxLength: 64 })) },
      returns: listOf(SigningDomain, 'The domains, by application.'),
    },
    listAllowedDomains,
  ),
  op(
    'POST /latchkey/operator/applications/{clientId}/signing-domains',
    {
      id: 'allowSigningDomain',
      summary: 'Allow a signing domain',
      description:
        'Lets an application have typed data of a domain signed by hosted wallets; the owner of the wallet still approves each signature. For the operator.',
      audit: 'signing-domain.allow',
      onRecord: ['domain', 'notes'],
      facts: {
        needsNoKey: 'A domain that is allowed already stays as it is.',
        senderDecides: 'domain notes',
        samples: { domain: 'name:Snapshot' },
      },
      access: admin(),
      params: { clientId: appId },
      body: SigningDomainBody,
      returns: NoContent,
      errors: ['ENTITY_NOT_FOUND', 'INVALID_PARAMETER_VALUE'],
    },
    allowDomain,
  ),
  op(
    'DELETE /latchkey/operator/applications/{clientId}/signing-domains/{domain}',
    {
      id: 'removeSigningDomain',
      summary: 'Remove a signing domain',
      description: 'Revokes an application’s right to have typed data of a domain signed. For the operator.',
      audit: 'signing-domain.remove',
      onRecord: ['clientId', 'domain'],
      facts: { samples: { domain: 'name:Snapshot' } },
      access: admin(),
      params: {
        clientId: appId,
        domain: text('The domain, as the list shows it.', { minLength: 1, maxLength: 256 }),
      },
      returns: NoContent,
      errors: ['ENTITY_NOT_FOUND', 'INVALID_PARAMETER_VALUE'],
    },
    removeDomain,
  ),
] as const;

export const reviewOperations = [...applicationReviews, ...miniAppReviews, ...signingDomains] as const;
