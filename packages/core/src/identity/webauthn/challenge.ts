export const ceremonies = ['registration', 'authentication'] as const;
export type Ceremony = (typeof ceremonies)[number];

export const challengeFormats = ['jwt', 'slug', 'chain'] as const;
export type ChallengeFormat = (typeof challengeFormats)[number];

export const userVerifications = ['required', 'preferred', 'discouraged'] as const;
export type UserVerification = (typeof userVerifications)[number];

export const challengeTtlSeconds = 5 * 60;

/** What a challenge may be answered for, decided when it is made and out of the answerer's reach. */
export interface Challenge {
  ceremony: Ceremony;
  rpId: string;
  /** Whose passkey must answer; undefined when that was not known. */
  userId: string | undefined;
  userVerification: UserVerification;
  /** The one thing that the answer approves; undefined when it signs in. */
  boundTo: string | undefined;
  expiresAt: Date;
}

/**
 * The text whose SHA-256 is a challenge of the format `chain`. Every line but the last is ours and without a line break,
 * so that no two sets of fields make the same text.
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
