import { defineModule } from '../../shared/module.ts';
import { logSettings } from './operations.ts';
import { logSettingsErasure } from './queries.ts';

export { logSettingsTopic } from './operations.ts';
export { latestVersion as latestLogSettingsVersion, pendingSettings } from './queries.ts';

export const logSettingsModule = defineModule('log-settings', {
  resources: [logSettings],
  erasures: [logSettingsErasure],
  tables: ['log_setting_changes'],
});
