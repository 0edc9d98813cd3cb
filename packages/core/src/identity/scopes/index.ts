import { feature } from '../../shared/feature.ts';
import { scopes } from './operations.ts';

export const scopesFeature = feature('scopes', { resources: [scopes] });
