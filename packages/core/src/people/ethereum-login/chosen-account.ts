const prefix = 'urn:latchkey:account:';

/**
 * How a sign-in message says which account is meant, when a wallet signs in to several: as one of its resources, so that it
 * is part of what is signed.
 */
export function accountResource(userId: string): string {
  return `${prefix}${encodeURIComponent(userId)}`;
}

/** The account that the resources of a message choose, if they do. */
export function readChosenAccount(resources: readonly string[]): string | undefined {
  const chosen = resources.find((resource) => resource.startsWith(prefix))?.slice(prefix.length);
  if (chosen === undefined) return undefined;
  try {
    return decodeURIComponent(chosen);
  } catch {
    return chosen;
  }
}
