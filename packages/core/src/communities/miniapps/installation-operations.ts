import { NoContent, OpenObject, op, T } from '@latchkey/kernel';
import { communityAdmin, communityRuler } from '../communities/index.ts';
import { getInstalledApp, InstalledApp, setInstalledAppSettings } from './installation.ts';

const params = {
  communityId: T.String({ description: 'The id of the community.', minLength: 1, maxLength: 128 }),
  appId: T.String({ description: 'The id of the mini-app.', minLength: 1, maxLength: 100 }),
};
const idsOfNobody = { appId: 'The same app may be installed in many communities.' };

export const installationOperations = [
  op(
    'GET /latchkey/communities/{communityId}/apps/{appId}',
    {
      id: 'getInstalledApp',
      summary: 'Get an installed mini-app',
      description:
        'Returns a mini-app as the community has installed it: who installed it, its commands, what it is told, what it may ask members for, and its settings. For community admins, signed in to this server; no scope grants it.',
      facts: { idsOfNobody },
      access: communityAdmin('communityId'),
      params,
      returns: InstalledApp,
    },
    getInstalledApp,
  ),
  op(
    'PUT /latchkey/communities/{communityId}/apps/{appId}/settings',
    {
      id: 'setInstalledAppSettings',
      summary: 'Set a mini-app’s settings',
      description:
        'Replaces the settings of a mini-app in a community, without installing it anew. A mini-app that names installationMetadata in its requiredContext gets them with each command and button press. For community admins, signed in to this server; no scope grants it.',
      audit: 'community.app-change',
      facts: { freeBody: 'The settings of a mini-app, which are its own.', idsOfNobody },
      access: communityRuler('communityId'),
      params,
      body: OpenObject,
      returns: NoContent,
      errors: ['VALIDATION_FAILED'],
    },
    setInstalledAppSettings,
  ),
] as const;
