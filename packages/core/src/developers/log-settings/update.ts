import { listAlive } from '@latchkey/db';
import { principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import type { LogSettingsRequest, LogSettingsResponse } from './log-settings.ts';
import { insertChange } from './queries.ts';

export const logSettingsTopic = 'log-settings';
const defaultWaitSeconds = 2;
const pollMs = 50;

type UpdateContext = Pick<Context, 'actor' | 'bus' | 'clock' | 'db'>;

/** Records the change, tells every process, and answers with the settings of those that applied it in time. */
export async function updateDebugSettings(
  ctx: UpdateContext,
  { wait, body }: { wait?: number; body: LogSettingsRequest[] },
): Promise<LogSettingsResponse[]> {
  const version = await insertChange(ctx.db.system, {
    requests: body,
    changedBy: principalId(ctx.actor),
    changedAt: ctx.clock(),
  });
  await ctx.bus.publish(ctx.db.system, logSettingsTopic, { version });
  const deadline = performance.now() + (wait ?? defaultWaitSeconds) * 1000;
  while (true) {
    const processes = await listAlive(ctx.db.system);
    const applied = processes.filter((process) => process.logVersion >= version);
    if (applied.length === processes.length || performance.now() >= deadline) return applied.map(describeProcess);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

export function describeProcess(process: {
  serverType: string;
  serverSubType: string;
  hostName: string;
  logLevel: string;
  debugSettings: string;
}): LogSettingsResponse {
  const { serverType, serverSubType, hostName, logLevel, debugSettings } = process;
  return { serverType, serverSubType, hostName, logLevel, debugSettings };
}
