import type { DevvitDesk, MemberRoles, PlatformRole, RoleHost } from '@latchkey/core/ports';
import { approvedRole, noSuchFlair } from './read-members.ts';

/**
 * Sends what concerns roles to the Devvit app of a subreddit that has one, and everything else to the moderator's
 * token. An app never says who moderates a subreddit: its secret would be worth as much as an admin's account.
 */
export function withDevvit(host: RoleHost, desk: DevvitDesk): RoleHost {
  async function* readMembers(subreddit: string, signal?: AbortSignal): AsyncGenerator<readonly MemberRoles[], void> {
    if (await desk.isPaired(subreddit)) yield* desk.readMembers(subreddit);
    else yield* host.readMembers(subreddit, signal);
  }
  return {
    ...host,
    readRoles: async (subreddit, signal) =>
      (await desk.isPaired(subreddit)) ? toRoles(await desk.readFlairs(subreddit)) : host.readRoles(subreddit, signal),
    readMember: async (subreddit, userName, signal) =>
      (await desk.isPaired(subreddit))
        ? desk.readMember(subreddit, userName)
        : host.readMember(subreddit, userName, signal),
    readMembers,
    findFaults: async (subreddit, roleIds, signal) => {
      if (!(await desk.isPaired(subreddit))) return (await host.findFaults?.(subreddit, roleIds, signal)) ?? [];
      const roles = toRoles(await desk.readFlairs(subreddit));
      return roleIds
        .filter((roleId) => !roles.some(({ id }) => id === roleId))
        .map((roleId) => ({ ...noSuchFlair, roleId }));
    },
    writeMember: async (write, signal) =>
      (await desk.isPaired(write.communityId)) ? desk.write(write) : host.writeMember(write, signal),
  };
}

function toRoles(flairs: readonly PlatformRole[]): PlatformRole[] {
  const placed = flairs.map((flair, index) => ({ ...flair, position: flairs.length - index }));
  return [...placed, { id: approvedRole, name: 'Approved user', position: 0 }];
}
