/**
 * Tags of members on platforms with the ability `memberTags`: a short text that everyone sees beside the member's name. A rule gives a tag
 * like a role, whose id spells the tag.
 */

/** Begins the id of every role that is a tag. */
export const tagPrefix = 'tag:';

/** Telegram's limit for the whole tag of a member. */
export const longestTag = 16;

/** Role ids are restricted to ASCII without spaces, so other characters are written as a dot and four hexadecimal digits. */
const plain = /[\w-]/;

/** Returns the id of the role that shows this tag. */
export function tagRoleId(tag: string): string {
  const spelled = [...Array(tag.length).keys()].map((at) => {
    const unit = tag[at] ?? '';
    return plain.test(unit) ? unit : `.${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return tagPrefix + spelled.join('');
}

/** Returns the tag that a role id spells; undefined for any other id. */
export function tagOfRole(roleId: string): string | undefined {
  if (!roleId.startsWith(tagPrefix)) return undefined;
  const spelled = roleId.slice(tagPrefix.length);
  if (!/^(?:[\w-]|\.[0-9a-f]{4})+$/.test(spelled)) return undefined;
  const tag = spelled.replaceAll(/\.([0-9a-f]{4})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return tagRoleId(tag) === roleId ? tag : undefined;
}

export function isTagRole(roleId: string): boolean {
  return roleId.startsWith(tagPrefix);
}

/** Stands between two tags of one member. */
export const tagSeparator = ' · ';

/** Returns why a text cannot be a tag, as a sentence for admins; undefined if it can. */
export function findTagProblem(tag: string): string | undefined {
  if (tag.trim() === '') return 'Enter the text of the tag.';
  if (tag !== tag.trim()) return 'A tag does not begin or end with a space.';
  if (tag.length > longestTag) return `A tag has at most ${longestTag} characters; this one has ${tag.length}.`;
  if (/\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u.test(tag)) return 'Telegram allows no emoji in a tag.';
  if (/\p{C}/u.test(tag)) return 'A tag is one line of visible characters.';
  if (tag.includes(tagSeparator.trim()))
    return `Latchkey puts “${tagSeparator.trim()}” between the tags of a member, so it cannot be in one.`;
  return undefined;
}
