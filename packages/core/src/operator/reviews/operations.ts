import {
  admin,
  choice,
  listOf,
  NoContent,
  op,
  pageOf,
  pageParams,
  record,
  T,
  text,
  texts,
  type ValueOf,
} from '@latchkey/kernel';
import {
  decideMiniApp,
  examineMiniApps,
  type MiniAppDecision,
  MiniAppRegistration,
  miniAppDecisions,
  miniAppStatuses,
  pageOfMiniApps,
} from '../../developers/mini-apps/index.ts';
import {
  ClientApplication,
  ClientApplicationPage,
  clientAppStatuses,
  clientIdLimit,
  createDevelopmentApp,
  type Decision,
  decideClientApp,
  decisions,
  examineClientApp,
  pageOfClientApps,
} from '../../identity/client-apps/index.ts';
import { allowSigningDomain, listSigningDomains, removeSigningDomain } from '../../identity/hosted-wallets/index.ts';
import type { Context } from '../../shared/context.ts';

const notes = T.Optional(text('The reason, for the owner of the app and for the audit log.', { maxLength: 1024 }));

const ApplicationDecision = record('ApplicationDecision', 'What the operator decides about an application.', {
  decision: choice(
    'approve: it works; reject: it was turned down; list: it works and is shown to others; revoke: it stops permanently.',
    Object.keys(decisions) as Decision[],
  ),
  scopes: T.Optional(texts('The scopes to grant. Defaults to those granted before.', { maxLength: 64 })),
  notes,
});
type ApplicationDecision = ValueOf<typeof ApplicationDecision>;

const MiniAppDecisionBody = record('MiniAppDecision', 'What the operator decides about a mini-app.', {
  decision: choice(
    'approve: it may be listed; reject: it was turned down; reopen: it waits for review again; list: it is probed, and then communities can install it; revoke: it is taken off.',
    Object.keys(miniAppDecisions) as MiniAppDecision[],
  ),
  notes,
});
type MiniAppDecisionBody = ValueOf<typeof MiniAppDecisionBody>;

const DevelopmentAppBody = record('DevelopmentAppRequest', 'An application that works at once, for trials.', {
  name: text('The name of the application.', { minLength: 1, maxLength: 200 }),
  userId: T.Optional(text('The owner. Defaults to the operator.', { minLength: 1, maxLength: 128 })),
  scopes: texts('The scopes to grant.', { maxLength: 64 }),
  redirectUris: T.Optional(texts('The redirect URIs. Without any, it only uses its API key.', { maxLength: 2048 })),
  clientType: T.Optional(
    choice('For an application that signs users in. Defaults to confidential.', ['confidential', 'public']),
  ),
  reason: T.Optional(text('The reason, for the audit log.', { maxLength: 500 })),
});
type DevelopmentAppBody = ValueOf<typeof DevelopmentAppBody>;

const AppExamination = record('AppExamination', 'The result of testing the setup of an application.', {
  findings: T.Array(
    record('AppFinding', 'One check.', {
      level: choice('ok: it works; warn: it may cause problems; fail: it will fail.', ['ok', 'warn', 'fail']),
      about: text('What was checked.', { maxLength: 300 }),
      says: text('The result, and what to do.', { maxLength: 4000 }),
    }),
    { description: 'All checks, in order.', maxItems: 1000 },
  ),
});
type AppExamination = ValueOf<typeof AppExamination>;

const SigningDomain = record('SigningDomain', 'Typed data that an application may have hosted wallets sign.', {
  clientId: text('The application.', { maxLength: clientIdLimit }),
  domain: text('The contract and its chain, or the name of the domain.'),
  notes: T.Optional(text('Why it was allowed.')),
  createdTime: text('When it was allowed, in ISO 8601.'),
});
type SigningDomain = ValueOf<typeof SigningDomain>;

const SigningDomainBody = record('SigningDomainRequest', 'A domain of typed data.', {
  domain: text('0x…@1 for a contract on a chain, 0x…@any for one that names no chain, or name: and its name.', {
    minLength: 1,
    maxLength: 256,
  }),
  notes: T.Optional(text('The reason, for the audit log.', { maxLength: 500 })),
});
type SigningDomainBody = ValueOf<typeof SigningDomainBody>;

const search = T.Optional(text('An id, or the start of a name, ignoring case.', { minLength: 1, maxLength: 200 }));
const appId = text('The client id.', { minLength: 1, maxLength: 64 });
const miniAppId = text('The id of the mini-app.', { minLength: 1, maxLength: 128 });

const applicationReviews = [
  op(
    'GET /latchkey/operator/applications',
    {
      id: 'listAllApplications',
      summary: 'List all applications',
      description: 'Returns all client applications, newest first, without their secrets. For the operator.',
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
        'Creates a client application that works at once, for development. Its key and secrets are only shown in this response. For the operator.',
      audit: 'app.create',
      auditedFields: ['name', 'scopes', 'redirectUris', 'reason'],
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
      auditedFields: ['decision', 'scopes', 'notes'],
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
      summary: 'Test an application’s setup',
      description:
        'Checks status, scopes, grants and origins of a client application, sends its webhook a signed test event and one with a wrong signature, and probes the mini-apps of its organization. Changes nothing. For the operator.',
      audit: 'app.examine',
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
      description: 'Returns all mini-apps, newest first. For the operator.',
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
        'Approves, rejects, reopens, lists or revokes a mini-app. Before it is listed it is probed, and one that accepts forged calls is not listed. Fails with STATE_CONFLICT then, or if its status does not allow the decision. For the operator.',
      audit: 'mini-app.decide',
      auditedFields: ['decision', 'notes'],
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
      params: {
        clientId: T.Optional(text('Only those of this application.', { minLength: 1, maxLength: clientIdLimit })),
      },
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
      auditedFields: ['domain', 'notes'],
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
      auditedFields: ['clientId', 'domain'],
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

export function decideApplication(
  ctx: Context,
  { id, body }: { id: string; body: ApplicationDecision },
): Promise<ClientApplication> {
  return decideClientApp(ctx, { id, ...body });
}

function decideMiniAppReview(
  ctx: Context,
  { id, body }: { id: string; body: MiniAppDecisionBody },
): Promise<MiniAppRegistration> {
  return decideMiniApp(ctx, { id, ...body });
}

function createDevelopmentApplication(
  ctx: Context,
  { body: { userId = '$admin', redirectUris = [], clientType, name, scopes } }: { body: DevelopmentAppBody },
): Promise<ClientApplication> {
  return createDevelopmentApp(ctx, {
    userId,
    name,
    scopes,
    redirectUris,
    ...(clientType !== undefined && { clientType }),
  });
}

/** Returns what the command `doctor` finds, except for its tests from outside the server. */
export async function examineApplication(ctx: Context, { id }: { id: string }): Promise<AppExamination> {
  const { app, findings } = await examineClientApp(ctx, id);
  const isOrganizations = app.pk !== undefined && app.pk !== app.createdById;
  return { findings: [...findings, ...(isOrganizations ? await examineMiniApps(ctx, app.pk ?? '') : [])] };
}

async function listAllowedDomains(ctx: Context, { clientId }: { clientId?: string }): Promise<SigningDomain[]> {
  const rows = await listSigningDomains(ctx, clientId);
  return rows.map((row) => ({
    clientId: row.client_id,
    domain: row.domain,
    ...(row.notes !== null && { notes: row.notes }),
    createdTime: row.created_at.toISOString(),
  }));
}

async function allowDomain(
  ctx: Context,
  { clientId, body }: { clientId: string; body: SigningDomainBody },
): Promise<void> {
  await allowSigningDomain(ctx, { clientId, ...body });
}

async function removeDomain(ctx: Context, { clientId, domain }: { clientId: string; domain: string }): Promise<void> {
  await removeSigningDomain(ctx, { clientId, domain });
}
