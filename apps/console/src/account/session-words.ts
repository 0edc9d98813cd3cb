const kinds: Readonly<Record<string, string>> = {
  'console-session': 'Signed in to the console',
  'wallet-session': 'Sign-in with a wallet',
  'passkey-session': 'Sign-in with a passkey',
  'chat-session': 'Sign-in with a chat account',
  'connect-link': 'Link to connect wallets',
  'consent-token': 'Consent page for an app',
  'identity-token': 'Tells an app who you are',
  'operator-token': 'Made by the operator of this server',
};

/** Returns the display name of a kind of session. */
export function sessionWords(kind: string): string {
  return kinds[kind] ?? kind;
}
