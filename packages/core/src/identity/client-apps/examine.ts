import { notFound } from '@latchkey/kernel';
import {
  attemptDelivery,
  findEndpoints,
  findWebhookSecrets,
  formatWebhookSecret,
  type WebhookEndpoint,
} from '../../services/webhooks/index.ts';
import type { Context } from '../../shared/context.ts';
import { type ChangeContext, change, getAppForUpdate } from './change.ts';
import { checkScopes, checkText } from './check-fields.ts';
import type { ClientApplication, ClientAppStatus } from './client-app.ts';
import { findApp, type StoredClientApp } from './queries.ts';
import { getRecord, toRecord } from './reads.ts';
import { assertOperator, assertTransition, workingStatuses } from './status.ts';

/** One check: it passes, needs attention or fails, with the reason and what to do. */
export interface Finding {
  level: 'ok' | 'warn' | 'fail';
  about: string;
  says: string;
}

type ExamineContext = Pick<Context, 'actor' | 'clock' | 'db' | 'egress' | 'keyring' | 'random'>;

/** Checks the setup of an application for the operator, including its webhook. */
export async function examineClientApp(
  ctx: ExamineContext,
  id: string,
): Promise<{ app: ClientApplication; findings: Finding[] }> {
  assertOperator(ctx.actor);
  const app = await findApp(ctx.db.system, id);
  if (app === undefined) throw notFound('client application');
  const endpoint = (await findEndpoints(ctx.db.system, [id])).get(id);
  const findings = [
    examineStatus(app),
    ...examineScopes(app),
    ...examineGrants(app),
    examineOrigins(app),
    ...(await examineWebhook(ctx, id, endpoint)),
  ];
  return { app: toRecord(app, endpoint), findings };
}

function examineStatus({ id, status }: StoredClientApp): Finding {
  const about = 'status';
  if (workingStatuses.includes(status)) return { level: 'ok', about, says: `The application is ${status}.` };
  const next = status === 'PENDING' ? `Approve it: npm run latchkey -- apps approve ${id} --scopes "…"` : '';
  return {
    level: 'fail',
    about,
    says: `The application is ${status}, so its key and tokens are refused. ${next}`.trim(),
  };
}

function examineScopes({ requested_scopes, allowed_scopes, disallowed_scopes }: StoredClientApp): Finding[] {
  const about = 'scopes';
  if (allowed_scopes.length === 0)
    return [
      { level: 'fail', about, says: 'The operator granted no scopes: most operations return SCOPE_NOT_ALLOWED.' },
    ];
  const refused = requested_scopes.filter(
    (scope) => !allowed_scopes.includes(scope) && !allowed_scopes.includes('$all'),
  );
  const closed = allowed_scopes.filter((scope) => disallowed_scopes.includes(scope));
  return [
    { level: 'ok', about, says: `Granted: ${allowed_scopes.join(' ')}.` },
    ...(refused.length > 0
      ? [{ level: 'warn' as const, about, says: `Requested but not granted: ${refused.join(' ')}.` }]
      : []),
    ...(closed.length > 0
      ? [{ level: 'warn' as const, about, says: `Granted but blocked: ${closed.join(' ')}.` }]
      : []),
  ];
}

function examineGrants({ client_type, allowed_grant_types, redirect_uris }: StoredClientApp): Finding[] {
  const about = 'grants';
  if (client_type === 'apiKey')
    return [{ level: 'ok', about, says: 'It only uses its API key; users cannot log in with it.' }];
  const findings: Finding[] = [];
  if (allowed_grant_types.length === 0)
    findings.push({ level: 'warn', about, says: 'allowedGrantTypes is empty: users cannot log in with it.' });
  if (allowed_grant_types.includes('authorization_code') && redirect_uris.length === 0)
    findings.push({ level: 'fail', about, says: 'It has no redirectUris, so logins cannot redirect back.' });
  if (allowed_grant_types.includes('client_credentials') && client_type !== 'confidential')
    findings.push({
      level: 'fail',
      about,
      says: 'client_credentials needs a client secret; only confidential applications have one.',
    });
  return findings.length > 0
    ? findings
    : [{ level: 'ok', about, says: `A ${client_type} application with ${allowed_grant_types.join(' ')}.` }];
}

function examineOrigins({ allowed_origins }: StoredClientApp): Finding {
  const about = 'origins';
  return allowed_origins.length === 0
    ? { level: 'warn', about, says: 'allowedOrigins is empty, which means any origin. List the pages that may call.' }
    : { level: 'ok', about, says: `Listed: ${allowed_origins.join(' ')}.` };
}

async function examineWebhook(
  ctx: ExamineContext,
  clientId: string,
  endpoint: WebhookEndpoint | undefined,
): Promise<Finding[]> {
  const about = 'webhook';
  const [secret] = await findWebhookSecrets(ctx, clientId);
  if (secret === undefined)
    return [
      {
        level: 'warn',
        about,
        says: `It has no webhook secret, so callbackUrl is refused. Its owner can create one with POST /latchkey/client-apps/${clientId}/webhook-secret.`,
      },
    ];
  const url = endpoint?.url;
  if (url === undefined)
    return [
      { level: 'ok', about, says: 'It is not subscribed to any events. callbackUrl works: it has a webhook secret.' },
    ];
  if (endpoint?.disabledAt !== undefined)
    return [
      { level: 'fail', about, says: `Events are not sent: ${endpoint.disabledReason ?? 'the webhook is disabled'}` },
    ];
  return tryWebhook(ctx, url, secret);
}

/** Sends a harmless event, once signed like real events and once with a random secret. */
async function tryWebhook(ctx: ExamineContext, url: string, secret: string): Promise<Finding[]> {
  const about = 'webhook';
  const body = JSON.stringify({ type: 'ping', timestamp: ctx.clock().toISOString(), data: {} });
  const send = (key: string) =>
    attemptDelivery(
      ctx.egress,
      { url, secrets: [key] },
      { id: `msg_${ctx.random.id()}`, timestamp: ctx.clock(), body },
    );
  const right = await send(secret);
  if (right.outcome !== 'delivered')
    return [{ level: 'fail', about, says: `A signed test event failed. ${right.reason}` }];
  const wrong = await send(formatWebhookSecret(ctx.random.bytes(32)));
  return [
    { level: 'ok', about, says: `It accepted a signed test event (${right.status}).` },
    wrong.outcome === 'delivered'
      ? {
          level: 'warn',
          about,
          says: 'It also accepted an event with a wrong signature: anyone can send it events. Check webhook-signature or x-collabland-signature.',
        }
      : { level: 'ok', about, says: `It refused an event with a wrong signature (${wrong.status ?? 'no answer'}).` },
  ];
}

export const decisions = {
  approve: 'APPROVED',
  reject: 'REJECTED',
  revoke: 'REVOKED',
  list: 'LISTED',
} as const satisfies Record<string, ClientAppStatus>;

export type Decision = keyof typeof decisions;

export interface Decide {
  id: string;
  decision: Decision;
  /** The scopes to grant. Defaults to those granted before. */
  scopes?: readonly string[] | undefined;
  notes?: string | undefined;
}

/** Applies the operator's decision about an application. */
export async function decideClientApp(
  ctx: ChangeContext,
  { id, decision, scopes, notes }: Decide,
): Promise<ClientApplication> {
  assertOperator(ctx.actor);
  const status = decisions[decision];
  const columns: { allowed_scopes?: string[] } =
    scopes === undefined ? {} : { allowed_scopes: checkScopes('allowedScopes', scopes) };
  const reason = checkText('notes', notes) ?? undefined;
  return ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    const isOtherGrant =
      app.status === status && !isSameList(columns.allowed_scopes ?? app.allowed_scopes, app.allowed_scopes);
    // Repeating a decision would change nothing, but still add an audit entry.
    if (!isOtherGrant) assertTransition(app.status, status);
    return getRecord(tx, await change(ctx, tx, app, { action: decision, notes: reason, status, columns }));
  });
}

function isSameList(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one) => others.includes(one));
}
