import { baseOf, type Fetch } from '@latchkey/adapter-kit';
import type { RoleHost } from '@latchkey/core/ports';
import { downloadPicture } from '../../pictures/download.ts';
import { type DiscordClient, platformFailed } from '../rest/create-client.ts';

export const discordCdnUrl = 'https://cdn.discordapp.com';

/** What Discord names a picture by. An animated one begins with a_; its first frame is to be had as well. */
const iconHash = /^(a_)?[0-9a-f]{32}$/;
const sidePixels = 128;

/** The icon of a guild, small and still, from Discord's public file server. */
export function createPictureReader(
  client: DiscordClient,
  { cdnUrl, fetch }: { cdnUrl: string; fetch: Fetch },
): NonNullable<RoleHost['readPicture']> {
  return async (guildId, version, signal) => {
    const answer = await client.call('GET', `/guilds/${guildId}`, { priority: 'verify', signal });
    if (answer.kind !== 'ok') throw platformFailed(answer);
    const { icon } = Object(answer.body) as { icon?: unknown };
    if (typeof icon !== 'string' || !iconHash.test(icon)) return { kind: 'none' };
    if (icon === version) return { kind: 'same' };
    const url = `${baseOf(cdnUrl)}/icons/${guildId}/${icon}.png?size=${sidePixels}`;
    return { kind: 'picture', version: icon, bytes: await downloadPicture(fetch, url, 'Discord', signal) };
  };
}
