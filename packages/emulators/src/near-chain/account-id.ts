const form = /^(([a-z\d]+[-_])*[a-z\d]+\.)*([a-z\d]+[-_])*[a-z\d]+$/;

export function isAccountId(text: unknown): text is string {
  return typeof text === 'string' && text.length >= 2 && text.length <= 64 && form.test(text);
}

/** Returns the parent of a sub-account; undefined for top-level accounts. */
export function parentOf(accountId: string): string | undefined {
  const dot = accountId.indexOf('.');
  return dot === -1 ? undefined : accountId.slice(dot + 1);
}

/** Whether this is an implicit account, whose name is its key in hexadecimal. */
export function isImplicit(accountId: string): boolean {
  return /^[\da-f]{64}$/.test(accountId);
}
