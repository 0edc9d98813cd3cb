import { NoContent, OpenObject, op, optional, T } from '@latchkey/kernel';
import { communityRuler } from './access.ts';
import { installMiniApp, uninstallMiniApp } from './install-app.ts';
import { MiniAppManifest } from './mini-app.ts';
import { communityParam } from './params.ts';

const appParam = T.String({ description: 'The id of the mini-app.', minLength: 1, maxLength: 100 });

export const appOperations = [
  op(
    'POST /communities/{communityId}/apps/{appId}',
    {
      id: 'installMiniApp',
      sdk: 'MiniAppController.installMiniApp',
      summary: 'Install a mini-app',
      description:
        'Installs a mini-app that this server knows in a community, with whatever settings the body holds. Installing it again takes its newest manifest and the new settings.',
      audit: 'community.app-install',
      facts: {
        freeBody: 'The settings of a mini-app, which are its own.',
        idsOfNobody: { appId: 'Every community may install every app that admits it.' },
      },
      access: communityRuler('communityId', 'community:write'),
      params: { communityId: communityParam, appId: appParam },
      body: optional(OpenObject),
      returns: MiniAppManifest,
      errors: ['PLAN_LIMIT_REACHED'],
      repeatable: true,
    },
    installMiniApp,
  ),
  op(
    'DELETE /communities/{communityId}/apps/{appId}',
    {
      id: 'uninstallMiniApp',
      sdk: 'MiniAppController.uninstallMiniApp',
      summary: 'Remove a mini-app',
      description: 'Removes a mini-app from a community, with its settings there.',
      audit: 'community.app-remove',
      facts: { idsOfNobody: { appId: 'The same app may be installed in many communities.' } },
      access: communityRuler('communityId', 'community:write'),
      params: { communityId: communityParam, appId: appParam },
      returns: NoContent,
    },
    uninstallMiniApp,
  ),
] as const;
