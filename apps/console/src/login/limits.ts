/** What an application may not do, as words that follow "may not". A scope lifts the limits that name it. */
const limits: readonly { words: string; liftedBy: readonly string[] }[] = [
  { words: 'see your keys or recovery phrases', liftedBy: [] },
  { words: 'move what your wallets hold', liftedBy: ['user:pkp:sign'] },
  { words: 'link or unlink wallets', liftedBy: ['user:wallet:write'] },
  { words: 'change how you sign in', liftedBy: ['user:webauthn-credential:write', 'user:wallet:write'] },
  { words: 'manage your communities', liftedBy: ['community:write', 'discord:guild', 'role-manager'] },
];

/** What stays forbidden to an application that is allowed these scopes. */
export function limitsOf(scopes: readonly string[]): string[] {
  return limits.filter(({ liftedBy }) => !liftedBy.some((scope) => scopes.includes(scope))).map(({ words }) => words);
}
