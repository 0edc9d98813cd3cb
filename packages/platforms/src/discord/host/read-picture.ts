import { baseOf, type Fetch } from '@latchkey/adapter-kit';
import type { RoleHost } from '@latchkey/core/ports';
import { downloadPicture } from '../../pictures/download.ts';
import { type DiscordClient, platformFailed } from '../rest/create-client.ts';

export const discordCdnUrl = 'https://cdn.discordapp.com';

/** Discord's picture hashes. The hash of an animated picture begins with a_, but its first frame is available too. */
const iconHash = /^(a_)?[0-9a-f]{32}$/;
const sidePixels = 128;

/** Reads the icon of a guild, small and static, from Discord's CDN. */
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
