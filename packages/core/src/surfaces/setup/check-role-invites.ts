import type { DiscordChannelObject } from '../../ports/index.ts';
import { findNeeds } from '../role-invites/index.ts';
import type { SetupCheck } from './setup-check.ts';

/** What the bot lacks in the channel of role invites, in a server that offers them. */
export function checkRoleInvites(
  scene: Parameters<typeof findNeeds>[0] & { channels: readonly DiscordChannelObject[] },
  channelId: string,
  link: string,
): SetupCheck[] {
  const check = { id: 'role-invites', subject: 'permission', title: 'Role invites' } as const;
  const channel = scene.channels.find(({ id }) => id === channelId);
  if (channel === undefined)
    return [
      {
        ...check,
        state: 'advised',
        reason: 'The channel that role invites lead into is missing, so none can be created.',
        remedy: 'Choose another channel under Settings > Role invites.',
      },
    ];
  const missing = findNeeds(scene, channel).flatMap(({ permission, why, remedy }) =>
    remedy === undefined ? [] : [{ permission, why, remedy }],
  );
  if (missing.length === 0)
    return [{ ...check, state: 'ok', reason: 'People who qualify can get an invite that gives them their roles.' }];
  return missing.map(({ permission, why, remedy }) => ({
    ...check,
    id: `role-invites.${permission.replaceAll(' ', '-')}`,
    title: `Role invites: ${permission}`,
    state: 'advised',
    reason: why,
    remedy,
    link,
  }));
}
