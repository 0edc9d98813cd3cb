import { defineModule } from '../../shared/module.ts';
import { installsErasure } from './queries.ts';

export {
  type AppNews,
  appNews,
  installMiniApp,
  registerMiniApp,
  uninstallMiniApp,
  withdrawMiniApp,
} from './install-app.ts';
export { MiniAppManifest } from './manifest.ts';
export {
  communitiesWithApp,
  installedAppIds,
  removeManifest,
  selectInstalledApp,
  selectOffers,
  updateAppSettings,
} from './queries.ts';

export const installsModule = defineModule('installs', {
  erasures: [installsErasure],
  tables: ['mini_app_manifests', 'community_apps'],
});
