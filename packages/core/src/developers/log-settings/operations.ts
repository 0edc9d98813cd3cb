import { admin, listOf, op, resource, T } from '@latchkey/kernel';
import { LogSettingsRequest, LogSettingsResponse } from './log-settings.ts';
import { collectLogSettings } from './reads.ts';
import { updateDebugSettings } from './update.ts';

const wait = T.Optional(
  T.Number({
    description: 'How many seconds to wait for the processes to answer. Defaults to 2.',
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
        'Changes what the running processes log, without a restart, and returns the settings of every process that has applied the change. Secrets stay out of the log at every level. A process that starts later begins with its own configuration.',
      facts: { freeBody: 'Levels by the names of processes.' },
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
      summary: 'Read log settings',
      description: 'Returns the log settings of every running process.',
      access: admin('log-settings'),
      params: { wait },
      returns: listOf(LogSettingsResponse, 'The running processes.'),
    },
    collectLogSettings,
  ),
]);
