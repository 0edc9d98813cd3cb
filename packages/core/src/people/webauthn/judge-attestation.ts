import { readInput, readInputAsync } from '@latchkey/kernel';
import { algorithms } from './options-records.ts';
import type { DeviceType } from './queries.ts';
import type { RegistrationResponse } from './response-records.ts';

/** A new passkey, as far as its authenticator can be believed. */
export interface NewPasskey {
  credentialId: string;
  publicKey: Uint8Array;
  counter: number;
  deviceType: DeviceType;
  isBackedUp: boolean;
  isUserVerified: boolean;
}

export interface Attested {
  challenge: string;
  origin: string;
  rpId: string;
  mustVerifyUser: boolean;
}

/** The passkey that an answer to registration options holds; undefined when anything about it is not as asked. */
export async function judgeAttestation(
  answer: Pick<RegistrationResponse, 'id' | 'rawId' | 'type' | 'response'>,
  expected: Attested,
): Promise<NewPasskey | undefined> {
  // Loaded when it is first needed: it takes a fifth of a second, and most processes never verify a passkey.
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  if (!(await isUnattested(answer.response.attestationObject))) return undefined;
  // The library refuses by throwing plain errors, whose messages repeat what was sent.
  const judged = await readInputAsync(() =>
    verifyRegistrationResponse({
      response: { ...answer, clientExtensionResults: {} },
      expectedChallenge: expected.challenge,
      expectedOrigin: expected.origin,
      expectedRPID: expected.rpId,
      requireUserVerification: expected.mustVerifyUser,
      supportedAlgorithmIDs: [...algorithms],
    }),
  );
  const made = judged?.registrationInfo;
  // The library takes the id from the signed part and does not compare it with the other.
  if (made?.credential.id !== answer.id) return undefined;
  return {
    credentialId: made.credential.id,
    publicKey: made.credential.publicKey,
    counter: made.credential.counter,
    deviceType: made.credentialDeviceType,
    isBackedUp: made.credentialBackedUp,
    isUserVerified: made.userVerified,
  };
}

/**
 * Nothing was asked about the make of the authenticator, so nothing may come: to check the certificates of an
 * attestation, the library would fetch addresses that stand in them.
 */
export async function isUnattested(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  const bytes = new Uint8Array(Buffer.from(attestationObject, 'base64url'));
  const decoded: unknown = readInput(() => decodeAttestationObject(bytes));
  if (!(decoded instanceof Map)) return false;
  const [format, statement]: unknown[] = [decoded.get('fmt'), decoded.get('attStmt')];
  if (!(decoded.get('authData') instanceof Uint8Array) || !(statement instanceof Map)) return false;
  return format === 'none' || (format === 'packed' && statement.get('x5c') === undefined);
}
