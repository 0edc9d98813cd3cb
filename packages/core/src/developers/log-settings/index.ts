export { pendingSettings } from './apply.ts';
export { logSettingsErasure } from './forget.ts';
export { logSettings } from './operations.ts';
export { latestVersion as latestLogSettingsVersion } from './queries.ts';
export { logSettingsTopic } from './update.ts';
