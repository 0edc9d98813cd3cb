import { feature } from '../../feature.ts';
import { logSettingsErasure } from './forget.ts';
import { logSettings } from './operations.ts';

export const logSettingsFeature = feature('log-settings', {
  resources: [logSettings],
  erasures: [logSettingsErasure],
  tables: ['log_setting_changes'],
});
