import { choice, record, T, text, texts, type ValueOf } from '@latchkey/kernel';

export const LogSettingsRequest = record('LogSettingsRequest', 'New log settings, and the processes they are for.', {
  serverTypes: T.Optional(
    texts('Kinds of process to change, for example APIServer or JobServer; all kinds if absent.', { maxLength: 64 }),
  ),
  hostNames: T.Optional(texts('Hosts to change; all hosts if absent.', { maxLength: 255 })),
  logLevel: T.Optional(choice('How much to log.', ['debug', 'info', 'warn', 'error'])),
  debugSettings: T.Optional(
    text(
      'Components whose debug lines are always logged: names separated by commas or spaces, * as a wildcard at the end, a hyphen before a name to exclude it. Names may start with `collabland:` or `latchkey:`. Empty turns debug lines off.',
      {
        pattern: '^[A-Za-z0-9*, :._/@-]*$',
      },
    ),
  ),
});
export type LogSettingsRequest = ValueOf<typeof LogSettingsRequest>;

export const LogSettingsResponse = record('LogSettingsResponse', 'The log settings of one running process.', {
  serverType: text('The kind of process: APIServer answers requests, JobServer runs jobs.'),
  serverSubType: text('The name of the process within its host.'),
  hostName: text('The host it runs on.'),
  logLevel: text('How much it logs.'),
  debugSettings: text('The components whose debug lines it logs.'),
});
export type LogSettingsResponse = ValueOf<typeof LogSettingsResponse>;

/** Returns the settings that a request results in for one process; undefined if it is for others. */
export function settingsFor(
  request: LogSettingsRequest,
  process: { serverType: string; hostName: string },
): Pick<LogSettingsRequest, 'logLevel' | 'debugSettings'> | undefined {
  if (request.serverTypes !== undefined && !request.serverTypes.includes(process.serverType)) return undefined;
  if (request.hostNames !== undefined && !request.hostNames.includes(process.hostName)) return undefined;
  return {
    ...(request.logLevel !== undefined && { logLevel: request.logLevel }),
    ...(request.debugSettings !== undefined && { debugSettings: request.debugSettings }),
  };
}
