export { pendingSettings } from './apply.ts';
export { logSettingsFeature } from './feature.ts';
export { latestVersion as latestLogSettingsVersion } from './queries.ts';
export { logSettingsTopic } from './update.ts';
