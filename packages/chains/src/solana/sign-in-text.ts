const opening = / wants you to sign in with your Solana account:$/;

export interface SignInExpectations {
  address: string;
  domain?: string | undefined;
  nonce?: string | undefined;
}

/**
 * What is wrong with a Sign-In-With-Solana text, or undefined when it fits or is another kind of text. A signature under a
 * text that names somebody else, or another site, was given for another login.
 */
export function findSignInFault(text: string, expected: SignInExpectations): string | undefined {
  const [first = '', second, ...rest] = text.split('\n');
  if (!opening.test(first)) return undefined;
  if (second !== expected.address) return 'The text signs in another account.';
  const site = first.replace(opening, '').replace(/^https:\/\//, '');
  if (expected.domain !== undefined && site !== expected.domain) return 'The text signs in to another site.';
  if (expected.nonce !== undefined && !rest.includes(`Nonce: ${expected.nonce}`)) return 'The text has another nonce.';
  return undefined;
}
