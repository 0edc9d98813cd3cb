import { feature } from '../../shared/feature.ts';
import { serverConfig } from './operations.ts';

export const serverConfigFeature = feature('server-config', { resources: [serverConfig] });
