import type { Config } from '../config.ts';
import type { RootLog } from '../log.ts';
import { wantsWorld } from '../sandbox/wants-world.ts';
import { baseUrlOf, localUrlOf } from './addresses.ts';
import { servicesStartedBy } from './beside-running.ts';
import { choosePort } from './choose-port.ts';
import type { Lifetime } from './lifetime.ts';
import { claimDataFolder } from './running-file.ts';
import type { Parts, StartingParts } from './start.ts';
import { untilSignal } from './until-signal.ts';

/** Starts the requested parts, and runs until a signal ends them. */
export function run(config: Config, log: RootLog, parts: Parts): Promise<void> {
  const kind = parts.whole ? 'whole' : parts.api ? 'server' : 'worker';
  return untilSignal(config, log, kind, (lifetime) => start(config, log, parts, lifetime));
}

async function start(config: Config, log: RootLog, request: Parts, lifetime: Lifetime): Promise<void> {
  const parts: StartingParts = { ...request, sampleWorld: request.whole && wantsWorld(config) };
  const port = parts.api ? await choosePort(config) : config.port;
  const localUrl = localUrlOf(config, port);
  const baseUrl = baseUrlOf(config, port);
  if (parts.whole) {
    const folder = await claimDataFolder(config.dataDir, {
      url: baseUrl,
      localUrl,
      ...servicesStartedBy(config, parts.sampleWorld),
    });
    lifetime.add('the data folder', folder.release);
  }
  // Loaded late, so that a second start on the same folder is refused at once.
  const { startParts } = await import('./start.ts');
  await startParts(config, { port, localUrl, baseUrl }, log, parts, lifetime);
}
