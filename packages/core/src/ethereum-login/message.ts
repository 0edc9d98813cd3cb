/** What a sign-in message says. Every field that the signature must be bound to stands in the text. */
export interface SignInMessage {
  domain: string;
  uri: string;
  /** Undefined when the caller did not say which account will sign. */
  address: string | undefined;
  chain: string;
  nonce: string;
  issuedAt: Date;
  expiresAt: Date;
  requestId: string;
  resources: readonly string[];
}

const statement = 'Sign in with this wallet. This only proves that it is yours; it costs nothing and moves nothing.';

/**
 * Writes the text to sign: EIP-4361 to the letter when the account is known. Without an account the first lines are
 * plain words, since the standard cannot be kept, and only a key that signs for itself is accepted for it.
 */
export function writeMessage(message: SignInMessage): string {
  const head =
    message.address === undefined
      ? [`${message.domain} asks you to sign in.`, '', statement, '']
      : [`${message.domain} wants you to sign in with your Ethereum account:`, message.address, '', statement, ''];
  const lines = [
    ...head,
    `URI: ${message.uri}`,
    'Version: 1',
    `Chain ID: ${message.chain}`,
    `Nonce: ${message.nonce}`,
    `Issued At: ${message.issuedAt.toISOString()}`,
    `Expiration Time: ${message.expiresAt.toISOString()}`,
    `Request ID: ${message.requestId}`,
  ];
  if (message.resources.length > 0) lines.push('Resources:', ...message.resources.map((resource) => `- ${resource}`));
  return lines.join('\n');
}
