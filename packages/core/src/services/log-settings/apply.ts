import type { Context } from '../../shared/context.ts';
import { type LogSettingsRequest, settingsFor } from './log-settings.ts';
import { changesSince } from './queries.ts';

type Settings = Pick<LogSettingsRequest, 'logLevel' | 'debugSettings'>;

/**
 * Reads the changes that a process has not applied yet. Returns the resulting settings of this process, and the last
 * version.
 */
export async function pendingSettings(
  ctx: Pick<Context, 'db' | 'process'>,
  sinceVersion: number,
): Promise<{ version: number; settings: Settings }> {
  let settings: Settings = {};
  let version = sinceVersion;
  for (const change of await changesSince(ctx.db.system, sinceVersion)) {
    for (const request of change.requests) settings = { ...settings, ...settingsFor(request, ctx.process) };
    version = change.version;
  }
  return { version, settings };
}
