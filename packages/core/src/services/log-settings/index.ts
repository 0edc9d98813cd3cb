import { defineModule } from '../../shared/module.ts';
import { logSettingsErasure } from './forget.ts';
import { logSettings } from './operations.ts';

export { pendingSettings } from './apply.ts';
export { logSettingsTopic } from './operations.ts';
export { latestVersion as latestLogSettingsVersion } from './queries.ts';

export const logSettingsModule = defineModule('log-settings', {
  resources: [logSettings],
  erasures: [logSettingsErasure],
  tables: ['log_setting_changes'],
});
