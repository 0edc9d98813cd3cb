const prefix = 'only:';

/**
 * A user may have signed in with a credential of limited scope, such as a passkey that was created on a wallet page.
 * What an application gets from such a login has the same limits. The provider stores them with the session as its
 * authentication context, which it does not disclose.
 */
export function limitToContext(scopes: readonly string[]): string | undefined {
  return scopes.includes('$all') ? undefined : `${prefix}${scopes.join(' ')}`;
}

/** Returns the scopes that a login is limited to; undefined if it is not limited. */
export function limitOfContext(context: string | undefined): readonly string[] | undefined {
  return context?.startsWith(prefix) === true ? context.slice(prefix.length).split(' ') : undefined;
}
