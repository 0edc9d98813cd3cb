import { type ClientApplication, type Context, examineClientApp, examineMiniApps, type Finding } from '@latchkey/core';
import { type Command, need } from '../command.ts';
import { askServer, tryLogins, tryOrigins } from '../doctor/ask-server.ts';
import { examineInstallation } from '../doctor/examine-installation.ts';
import { option } from '../input.ts';
import { print } from '../print.ts';
import { runAudited } from '../run-audited.ts';

const marks = { ok: 'ok  ', warn: 'look', fail: 'FAIL' } as const;

export const doctor: Command = {
  usage: 'doctor [--as-client <client id>]',
  meaning: 'check this installation, or a client application’s setup, and say how to fix each problem',
  words: 0,
  options: { 'as-client': option.short('The id of a client application.', 128) },
  run: async (ctx, _args, options, config) => {
    const id = options['as-client'];
    if (id === undefined) return report('This installation', await examineInstallation(ctx, config));
    await examineApp(ctx, need(id, 'client id. Usage: latchkey doctor --as-client <client id>'));
  },
};

async function examineApp(ctx: Context, id: string): Promise<void> {
  const use = { action: 'app.examine', target: id } as const;
  const { app, findings } = await runAudited(ctx, use, () => examineClientApp(ctx, id));
  findings.push(...(await tryServer(ctx, app)));
  if (app.pk !== undefined && app.pk !== app.createdById) findings.push(...(await examineMiniApps(ctx, app.pk)));
  report(`${app.name} (${app.id}), at ${ctx.settings.baseUrl}`, findings);
}

function report(title: string, findings: readonly Finding[]): void {
  print(title);
  for (const { level, about, says } of findings) print(`  ${marks[level]}  ${about}: ${says}`);
  const failing = findings.filter(({ level }) => level === 'fail').length;
  if (failing > 0) throw new Error(failing === 1 ? '1 problem found.' : `${failing} problems found.`);
  print('No problems found.');
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
    return [{ level: 'fail', about: 'server', says }];
  }
}
