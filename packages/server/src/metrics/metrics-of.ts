import type { Services } from '@latchkey/core';
import type { Composition } from '../compose/index.ts';
import type { Config } from '../config.ts';
import { membership } from '../processes/member.ts';
import { createMetrics, type Metrics, type ProcessKind } from './create-metrics.ts';
import { hangSamples } from './hang-samples.ts';
import { discordSamples, endpointSamples, readInstallationState } from './installation-state.ts';

/** The metrics of a process of this installation, and of the installation itself. */
export function metricsOf(
  services: Services,
  kind: ProcessKind,
  { dataDir }: Pick<Config, 'dataDir'>,
  discordFigures: Composition['discordFigures'] = () => undefined,
): Metrics {
  const group = membership();
  return createMetrics({
    kind,
    readState: () => readInstallationState(services),
    readProcess: () => [
      ...endpointSamples(services.installation.endpoints()),
      ...discordSamples(discordFigures()),
      ...hangSamples(dataDir, kind, group?.place),
    ],
    group,
  });
}
