import { decideMiniApp, examineMiniApps, type MiniAppRegistration } from '../../communities/miniapps/index.ts';
import type { Context } from '../../context.ts';
import {
  type ClientApplication,
  createDevelopmentApp,
  decideClientApp,
  examineClientApp,
} from '../../developers/client-apps/index.ts';
import { allowSigningDomain, listSigningDomains, removeSigningDomain } from '../../people/hosted-wallets/index.ts';
import type {
  AppExamination,
  ApplicationDecision,
  DevelopmentAppBody,
  MiniAppDecisionBody,
  SigningDomain,
  SigningDomainBody,
} from './decisions.ts';

export function decideApplication(
  ctx: Context,
  { id, body }: { id: string; body: ApplicationDecision },
): Promise<ClientApplication> {
  return decideClientApp(ctx, { id, ...body });
}

export function decideMiniAppReview(
  ctx: Context,
  { id, body }: { id: string; body: MiniAppDecisionBody },
): Promise<MiniAppRegistration> {
  return decideMiniApp(ctx, { id, ...body });
}

export function createDevelopmentApplication(
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

/** What the command `doctor` finds, but for what it tries from outside. */
export async function examineApplication(ctx: Context, { id }: { id: string }): Promise<AppExamination> {
  const { app, findings } = await examineClientApp(ctx, id);
  const isOrganizations = app.pk !== undefined && app.pk !== app.createdById;
  return { findings: [...findings, ...(isOrganizations ? await examineMiniApps(ctx, app.pk ?? '') : [])] };
}

export async function listAllowedDomains(ctx: Context, { clientId }: { clientId?: string }): Promise<SigningDomain[]> {
  const rows = await listSigningDomains(ctx, clientId);
  return rows.map((row) => ({
    clientId: row.client_id,
    domain: row.domain,
    ...(row.notes !== null && { notes: row.notes }),
    createdTime: row.created_at.toISOString(),
  }));
}

export async function allowDomain(
  ctx: Context,
  { clientId, body }: { clientId: string; body: SigningDomainBody },
): Promise<void> {
  await allowSigningDomain(ctx, { clientId, ...body });
}

export async function removeDomain(
  ctx: Context,
  { clientId, domain }: { clientId: string; domain: string },
): Promise<void> {
  await removeSigningDomain(ctx, { clientId, domain });
}
