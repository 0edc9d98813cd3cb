import { type ClientApplication, type Context, examineClientApp, examineMiniApps } from '@latchkey/core';
import { type Command, need } from '../command.ts';
import { askServer, tryLogins, tryOrigins } from '../doctor/ask-server.ts';
import { examineInstallation, type Finding } from '../doctor/examine-installation.ts';
import { reportFindings } from '../doctor/report.ts';
import { option } from '../input.ts';
import { runAudited } from '../run-audited.ts';

export const doctor: Command = {
  usage: 'doctor [--as-client <client id>]',
  meaning: 'check this installation, or a client application’s setup, and say how to fix each problem',
  words: 0,
  options: { 'as-client': option.short('The id of a client application.', 128) },
  run: async (ctx, _args, options, config) => {
    const id = options['as-client'];
    if (id === undefined) return reportFindings('This installation', await examineInstallation(ctx, config));
    return examineApp(ctx, need(id, 'client id. Usage: latchkey doctor --as-client <client id>'));
  },
};

async function examineApp(ctx: Context, id: string): Promise<number> {
  const use = { action: 'app.examine', target: id } as const;
  const { app, findings: found } = await runAudited(ctx, use, () => examineClientApp(ctx, id));
  const findings: Finding[] = [...found, ...(await tryServer(ctx, app))];
  if (app.pk !== undefined && app.pk !== app.createdById) findings.push(...(await examineMiniApps(ctx, app.pk)));
  return reportFindings(`${app.name} (${app.id}), at ${ctx.settings.baseUrl}`, findings);
}

async function tryServer(
  { settings, random }: Pick<Context, 'random' | 'settings'>,
  app: ClientApplication,
): Promise<Finding[]> {
  const url = settings.baseUrl;
  try {
    const { status } = await askServer(url, '/config');
    if (status !== 200) return [{ level: 'fail', about: 'server', says: `GET ${url}/config returned ${status}.` }];
    return [...(await tryOrigins(url, app)), ...(await tryLogins(url, app, random))];
  } catch (error) {
    const says = `No server answers at ${url} (${error instanceof Error ? error.message : String(error)}), so logins and origins were not tested. Start it, or set LATCHKEY_BASE_URL.`;
    return [
      { level: 'fail', about: 'server', says },
      { level: 'unknown', about: 'logins and origins', says: 'Not tested, because no server answers.' },
    ];
  }
}
