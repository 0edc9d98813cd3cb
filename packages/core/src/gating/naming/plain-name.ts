const longestName = 64;

/**
 * A name that somebody else chose, fit to stand in a message of the bot: it makes no link, no mention, no line of its own,
 * and does not look like a part of the sentence around it.
 */
export function plainName(name: string): string {
  const plain = name
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
    .replaceAll(/[[\]<>`*|~\\"]/g, '')
    .replaceAll(/:\/\/|@(?=everyone|here)/gi, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return plain.length <= longestName ? plain : `${plain.slice(0, longestName - 1)}…`;
}
