import type { PlatformFailed, PlatformRole, Refusal } from '@latchkey/core/ports';
import { findTagProblem, isTagRole, longestTag, tagOfRole, tagRoleId, tagSeparator } from '@latchkey/kernel';
import { saysAdministrator, stopsEverything } from './refusals.ts';

/** Returns the roles that the tag of a member shows. */
export function tagRolesIn(shown: string): string[] {
  return shown
    .split(tagSeparator)
    .filter((tag) => tag !== '')
    .map(tagRoleId);
}

/** Writes several tags as the one that Telegram shows. Those that do not fit any more are left out. */
export function joinTags(tags: readonly string[]): string {
  return tags.reduce((shown, tag) => {
    const longer = shown === '' ? tag : shown + tagSeparator + tag;
    return longer.length > longestTag ? shown : longer;
  }, '');
}

/** The tags that rules give, as roles; the first has the highest priority. */
export function toTagRoles(roleIds: readonly string[]): PlatformRole[] {
  return roleIds.map((id, place) => ({ id, name: `Tag: ${tagOfRole(id) ?? id}`, position: roleIds.length - place }));
}

/** Returns those of the roles that fit into one tag, and every role that is not a tag. */
export function settleTags(roles: readonly PlatformRole[], deserved: readonly string[]): readonly string[] {
  const positions = new Map(roles.map(({ id, position = 0 }) => [id, position]));
  const ranked = deserved.filter(isTagRole).toSorted((a, b) => (positions.get(b) ?? 0) - (positions.get(a) ?? 0));
  const shown = new Set(tagRolesIn(joinTags(ranked.flatMap((id) => tagOfRole(id) ?? []))));
  return deserved.filter((id) => !isTagRole(id) || shown.has(id));
}

/** Returns the tag of a member after a change. Tags that an admin set by hand stay only if they fit beside those of rules. */
export function changedTag(
  shown: string,
  { add, remove, ranked }: { add: readonly string[]; remove: readonly string[]; ranked: readonly string[] },
): string {
  const left = tagRolesIn(shown).filter((id) => !remove.includes(id));
  const wanted = [...new Set([...left, ...add.filter(isTagRole)])];
  const rank = (id: string) => (ranked.includes(id) ? ranked.indexOf(id) : ranked.length + (add.includes(id) ? 0 : 1));
  return joinTags(wanted.toSorted((a, b) => rank(a) - rank(b)).flatMap((id) => tagOfRole(id) ?? []));
}

/** What prevents rules from giving these tags in a chat. */
export function findTagFaults(
  roleIds: readonly string[],
  { managesTags, isGroup }: { managesTags: boolean; isGroup: boolean },
): Refusal[] {
  return roleIds.filter(isTagRole).flatMap((roleId): Refusal[] => {
    const tag = tagOfRole(roleId);
    const problem = tag === undefined ? 'This is not the id of a tag.' : findTagProblem(tag);
    if (problem !== undefined) return [{ fault: 'missing', roleId, advice: problem }];
    if (!isGroup) return [{ fault: 'missing', roleId, advice: 'Telegram has tags in groups only, not in channels.' }];
    return managesTags ? [] : [{ fault: 'permission', roleId, advice: needsTagRight }];
  });
}

export const titledInstead =
  'Telegram lets bots give tags to regular members only. The owner of the group sets the title of an administrator.';

const needsTagRight =
  'In Telegram, open the group’s profile, choose Administrators, choose the bot, and switch on “Manage tags”.';

/** Converts a refused change of a tag. It concerns tags only, so members still come in and go. */
export function tagRefusal(error: PlatformFailed, roleId: string): Refusal {
  const role = { roleId };
  if (saysAdministrator(error)) return { ...role, scope: 'change', advice: titledInstead };
  if (stopsEverything(error)) return { ...role, fault: 'permission', advice: needsTagRight };
  return { ...role, scope: 'change', advice: error.message };
}
