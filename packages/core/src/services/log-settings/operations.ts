import { listAlive, listAliveTogether } from '@latchkey/db';
import { admin, listOf, op, principalId, resource, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { LogSettingsRequest, LogSettingsResponse } from './log-settings.ts';
import { insertChange } from './queries.ts';

export const logSettingsTopic = 'log-settings';
const defaultWaitSeconds = 2;
const pollMs = 50;

type UpdateContext = Pick<Context, 'actor' | 'bus' | 'clock' | 'db'>;

/** Records the change, notifies every process, and returns the settings of those that applied it in time. */
async function updateDebugSettings(
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

function describeProcess(process: {
  serverType: string;
  serverSubType: string;
  hostName: string;
  logLevel: string;
  debugSettings: string;
}): LogSettingsResponse {
  const { serverType, serverSubType, hostName, logLevel, debugSettings } = process;
  return { serverType, serverSubType, hostName, logLevel, debugSettings };
}

const wait = T.Optional(
  T.Number({
    description: 'How many seconds to wait for the processes to respond. Defaults to 2.',
    minimum: 0,
    maximum: 10,
  }),
);

export const logSettings = resource('log-settings', 'What the running processes write to their logs.', [
  op(
    'PUT /log/settings',
    {
      id: 'updateDebugSettings',
      sdk: 'LogSettingsController.updateDebugSettings',
      summary: 'Change log settings',
      description:
        'Changes what the running processes log, without a restart, and returns the settings of every process that has applied the change. Secrets stay out of the log at every level. A process that starts later uses its own configuration.',
      access: admin('log-settings'),
      params: { wait },
      body: listOf(LogSettingsRequest, 'The changes, applied in order.'),
      returns: listOf(LogSettingsResponse, 'The processes that applied the change.'),
    },
    updateDebugSettings,
  ),
  op(
    'GET /log/settings',
    {
      id: 'collectLogSettings',
      sdk: 'LogSettingsController.collectLogSettings',
      summary: 'Get log settings',
      description: 'Returns the log settings of every running process.',
      access: admin('log-settings'),
      params: { wait },
      returns: listOf(LogSettingsResponse, 'The running processes.'),
    },
    collectLogSettings,
  ),
]);

/** Every process keeps its own row up to date, so there is nothing to wait for. */
async function collectLogSettings(ctx: Pick<Context, 'db'>): Promise<LogSettingsResponse[]> {
  return (await listAliveTogether(ctx.db)).map(describeProcess);
}
