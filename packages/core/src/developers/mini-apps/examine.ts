import type { Finding } from '../../identity/client-apps/index.ts';
import type { Context } from '../../shared/context.ts';
import { probeApp } from './probe.ts';
import { selectMiniAppsOf } from './queries.ts';

/** Probes the mini-apps of an organization, for the operator. Changes nothing. */
export async function examineMiniApps(ctx: Context, organizationId: string): Promise<Finding[]> {
  const apps = await selectMiniAppsOf(ctx.db.system, organizationId);
  const findings: Finding[] = [];
  for (const app of apps.filter(({ status }) => status !== 'REJECTED')) {
    const about = `mini-app ${app.name}`;
    if (app.status !== 'LISTED')
      findings.push({ level: 'warn', about, says: `It is ${app.status}, so no community can use it.` });
    const result = await probeApp(ctx, app);
    if (result.kind !== 'safe') findings.push({ level: 'fail', about, says: result.reason });
    else if (app.signature !== null && app.signature !== result.signature)
      findings.push({
        level: 'warn',
        about,
        says: `It verifies ${result.signature} but receives ${app.signature}. This is corrected after the next rejected call, or with: npm run latchkey -- miniapps probe ${app.id}`,
      });
    else
      findings.push({
        level: 'ok',
        about,
        says: `It responds, rejects forged calls and verifies ${result.signature}.`,
      });
  }
  return findings;
}
