import { principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { namesOfApps } from '../../developers/client-apps/index.ts';
import { describeScopes } from '../../developers/oauth2/index.ts';
import { listAuthorizations } from '../user-authorizations/index.ts';
import type { AllowedApplication } from './way-in.ts';

const most = 1_000;

/** The applications that the person allowed something, by names and in words. */
export async function listApplications(ctx: Pick<Context, 'actor' | 'db' | 'tx'>): Promise<AllowedApplication[]> {
  const rows = await ctx.tx((tx) => listAuthorizations(tx, principalId(ctx.actor), '', most));
  const names = await namesOfApps(
    ctx.db.system,
    rows.map((row) => row.client_id),
  );
  return Promise.all(
    rows.map(async ({ client_id, scopes, created_at }) => {
      const { name, url } = names.get(client_id) ?? { name: client_id, url: null };
      return {
        clientId: client_id,
        name,
        ...(url !== null && { url }),
        scopes: [...(await describeScopes(ctx, scopes))],
        createdTime: created_at.toISOString(),
      };
    }),
  );
}
