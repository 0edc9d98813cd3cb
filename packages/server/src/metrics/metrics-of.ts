import type { Services } from '@latchkey/core';
import type { Composition } from '../compose/index.ts';
import { membership } from '../processes/member.ts';
import { createMetrics, type Metrics, type ProcessKind } from './create-metrics.ts';
import { discordSamples, endpointSamples, readInstallationState } from './installation-state.ts';

/** The metrics of a process of this installation, and of the installation itself. */
export function metricsOf(
  services: Services,
  kind: ProcessKind,
  discordFigures: Composition['discordFigures'] = () => undefined,
): Metrics {
  return createMetrics({
    kind,
    readState: () => readInstallationState(services),
    readProcess: () => [...endpointSamples(services.installation.endpoints()), ...discordSamples(discordFigures())],
    group: membership(),
  });
}
