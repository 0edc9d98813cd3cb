/** What a sign-in message says. Every field that the signature must be bound to stands in the text. */
export interface SignInMessage {
  domain: string;
  uri: string;
  /** What the person signs in to, and no more than who they are if it is an application. */
  asker: { name: string; isApplication: boolean; isElsewhere?: boolean };
  /** Undefined when the caller did not say which account will sign. */
  address: string | undefined;
  chain: string;
  nonce: string;
  issuedAt: Date;
  expiresAt: Date;
  requestId: string;
  resources: readonly string[];
}

function writeStatement({ name, isApplication, isElsewhere = false }: SignInMessage['asker']): string {
  const plain = toStatementText(name);
  const here = isElsewhere ? 'This signs you in, in the other browser where you began.' : 'This signs you in.';
  const effect = isApplication ? `This tells ${plain} that the wallet is yours, and nothing else.` : here;
  return `Sign in to ${plain} with this wallet. ${effect} It costs nothing and moves nothing.`;
}

// EIP-4361 allows a statement the characters of URIs and spaces: a name in another script cannot stand in it as it is.
function toStatementText(name: string): string {
  return name.replace(/[^\w\-.~:/?#[\]@!$&'()*+,;= ]+/g, '?').trim();
}

/**
 * Writes the text to sign: EIP-4361 to the letter when the account is known. Without an account the first lines are
 * plain words, since the standard cannot be kept, and only a key that signs for itself is accepted for it.
 */
export function writeMessage(message: SignInMessage): string {
  const statement = writeStatement(message.asker);
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
