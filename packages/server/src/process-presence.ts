import {
  answerPings,
  latestLogSettingsVersion,
  logSettingsTopic,
  pendingSettings,
  type Services,
} from '@latchkey/core';
import {
  type EndpointState,
  heartbeatProcess,
  heartbeatSeconds,
  leaveProcess,
  type ProcessFaults,
  registerProcess,
} from '@latchkey/db';
import { type Clock, observed } from '@latchkey/kernel';
import type { RootLog } from './log.ts';

export interface Presence {
  leave(): Promise<void>;
}

/** Registers this process with the others: it answers pings and applies changes of log settings while it runs. */
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
      .catch((error: unknown) => log.for('presence').warn('This process could not report its presence.', { error }));
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

/** A fault that did not recur for this long is over. */
const rememberedMs = 60 * 60 * 1000;
/** Sources and kinds are few; the limit keeps a report small in any case. */
const mostReported = 50;

/** Collects faults of this process that an operator should know about. */
export function watchFaults(clock: Clock): { read(): ProcessFaults; stop(): void } {
  const malformed = new Map<string, { source: string; kind: string; count: number; lastMs: number }>();
  const stopped = new Map<string, { platform: string; shard: string; code: string }>();
  const ends = [
    observed.malformedEntry.listen(({ source, kind }) => {
      const name = `${source} ${kind}`;
      const count = (malformed.get(name)?.count ?? 0) + 1;
      malformed.set(name, { source, kind, count, lastMs: clock().getTime() });
    }),
    observed.gatewayStopped.listen(({ isStopped, ...shard }) => {
      const name = `${shard.platform} ${shard.shard}`;
      if (isStopped) stopped.set(name, shard);
      else stopped.delete(name);
    }),
  ];
  return {
    read: () => {
      const oldestMs = clock().getTime() - rememberedMs;
      for (const [name, { lastMs }] of malformed) if (lastMs < oldestMs) malformed.delete(name);
      return {
        ...(malformed.size > 0 && {
          malformed: [...malformed.values()]
            .slice(0, mostReported)
            .map(({ source, kind, count }) => ({ source, kind, count })),
        }),
        ...(stopped.size > 0 && { stoppedShards: [...stopped.values()].slice(0, mostReported) }),
      };
    },
    stop: () => {
      for (const end of ends) end();
    },
  };
}
