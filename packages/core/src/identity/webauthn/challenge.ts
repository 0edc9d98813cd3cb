export const ceremonies = ['registration', 'authentication'] as const;
export type Ceremony = (typeof ceremonies)[number];

export const challengeFormats = ['jwt', 'slug', 'chain'] as const;
export type ChallengeFormat = (typeof challengeFormats)[number];

export const userVerifications = ['required', 'preferred', 'discouraged'] as const;
export type UserVerification = (typeof userVerifications)[number];

export const challengeTtlSeconds = 5 * 60;

/** What a challenge is valid for. It is fixed when the challenge is issued, and the response cannot change it. */
export interface Challenge {
  ceremony: Ceremony;
  rpId: string;
  /** The user whose passkey must respond; undefined if that was not known. */
  userId: string | undefined;
  userVerification: UserVerification;
  /** The one thing that the response approves; undefined if it signs in. */
  boundTo: string | undefined;
  expiresAt: Date;
}

/**
 * Returns the text whose SHA-256 is a challenge of the format `chain`. Every line but the last is ours and has no line
 * break, so that no two sets of fields have the same text.
 */
export function chainText(
  baseUrl: string,
  { rpId, ceremony, expiresAt }: Challenge,
  nonce: string,
  callerText: string | undefined,
): string {
  return [
    'latchkey webauthn challenge v1',
    `server: ${baseUrl}`,
    `rpID: ${rpId}`,
    `ceremony: ${ceremony}`,
    `nonce: ${nonce}`,
    `expires: ${expiresAt.toISOString()}`,
    ...(callerText === undefined ? [] : [`challenge: ${callerText}`]),
  ].join('\n');
}
