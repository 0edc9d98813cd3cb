import {
  answerPings,
  latestLogSettingsVersion,
  logSettingsTopic,
  pendingSettings,
  type Services,
} from '@latchkey/core';
import { type EndpointState, heartbeatProcess, heartbeatSeconds, leaveProcess, registerProcess } from '@latchkey/db';
import type { RootLog } from './log.ts';
import { watchFaults } from './watch-faults.ts';

export interface Presence {
  leave(): Promise<void>;
}

/** Makes this process known to the others: it answers pings and applies changes of log settings while it runs. */
export async function announceProcess(services: Services, log: RootLog): Promise<Presence> {
  const sql = services.db.system;
  let version = await latestLogSettingsVersion(sql);
  const faults = watchFaults(services.clock);
  const baseUrl = services.process.serverType === 'APIServer' ? services.settings.baseUrl : undefined;
  const describe = () => ({
    ...services.process,
    ...log.settings(),
    logVersion: version,
    baseUrl,
    endpoints: endpointStates(services),
    faults: faults.read(),
  });
  await registerProcess(sql, describe());

  async function applyPending(): Promise<void> {
    const pending = await pendingSettings(services, version);
    version = pending.version;
    log.apply(pending.settings);
    await heartbeatProcess(sql, describe());
  }
  let queue = Promise.resolve();
  const apply = () => {
    queue = queue
      .then(applyPending)
      .catch((error: unknown) => log.for('presence').warn('This process could not report itself.', { error }));
  };

  const ends = [
    answerPings(services),
    services.bus.subscribe(logSettingsTopic, apply),
    services.bus.onReconnect(apply),
  ];
  const timer = setInterval(apply, heartbeatSeconds * 1000);
  return {
    leave: async () => {
      clearInterval(timer);
      for (const end of ends) end();
      faults.stop();
      await queue;
      await leaveProcess(sql, services.process.id).catch(() => undefined);
    },
  };
}

function endpointStates({ installation }: Pick<Services, 'installation'>): EndpointState[] {
  return installation.endpoints().map(({ newestBlock, ...rest }) => ({
    ...rest,
    ...(newestBlock !== undefined && { newestBlock: Number(newestBlock) }),
  }));
}
