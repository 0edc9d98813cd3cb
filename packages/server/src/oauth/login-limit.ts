const prefix = 'only:';

/**
 * A person may have logged in by something that may do only a few things, such as a passkey that was made on a page for
 * wallets. What an application gets from such a login is limited to the same. The provider carries it along with the
 * session as its authentication context, which it tells nobody.
 */
export function limitToContext(scopes: readonly string[]): string | undefined {
  return scopes.includes('$all') ? undefined : `${prefix}${scopes.join(' ')}`;
}

/** The scopes that a login is limited to; undefined for one that is not limited. */
export function limitOfContext(context: string | undefined): readonly string[] | undefined {
  return context?.startsWith(prefix) === true ? context.slice(prefix.length).split(' ') : undefined;
}
