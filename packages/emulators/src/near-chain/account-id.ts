const form = /^(([a-z\d]+[-_])*[a-z\d]+\.)*([a-z\d]+[-_])*[a-z\d]+$/;

export function isAccountId(text: unknown): text is string {
  return typeof text === 'string' && text.length >= 2 && text.length <= 64 && form.test(text);
}

/** The account whose sub-account this is; undefined for those at the top. */
export function parentOf(accountId: string): string | undefined {
  const dot = accountId.indexOf('.');
  return dot === -1 ? undefined : accountId.slice(dot + 1);
}

/** Accounts that come into being with the key whose hexadecimal digits they are called by. */
export function isImplicit(accountId: string): boolean {
  return /^[\da-f]{64}$/.test(accountId);
}
