import { errors, type JWTPayload, jwtVerify } from 'jose';
import type { Context } from '../../context.ts';
import { isCompact } from './compact-token.ts';
import { refusedCredential } from './refused.ts';

/** What the published clients sign, and also the key of the envelope: an HMAC that everybody can make protects nothing. */
export const fixedText = 'api.collab.land';

const envelopeKey = Buffer.from(fixedText);
const maxTokenLength = 8192;

export const refusedSignature = () => refusedCredential('Ethereum signature');

/** The payload of the token that travels in the header. */
export async function openEnvelope({ clock }: Pick<Context, 'clock'>, token: string): Promise<JWTPayload> {
  if (token.length > maxTokenLength || !isCompact(token, 3)) throw refusedSignature();
  try {
    return (await jwtVerify(token, envelopeKey, { algorithms: ['HS256'], currentDate: clock(), clockTolerance: 60 }))
      .payload;
  } catch (error) {
    throw error instanceof errors.JOSEError ? refusedSignature() : error;
  }
}

const forms = {
  address: /^0x[0-9a-fA-F]{40}$/,
  signature: /^0x[0-9a-fA-F]{130}$/,
  method: /^[A-Z]{3,7}$/,
  // No control characters: a line break could add a line to the text that is signed.
  path: /^\/[!-~]{0,4095}$/,
  issuedAt: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/,
  nonce: /^[A-Za-z0-9_-]{16,64}$/,
} as const;

/** A field of the payload in the one form that it has. */
export function readField(payload: JWTPayload, field: keyof typeof forms): string {
  const value = payload[field];
  if (typeof value !== 'string' || !forms[field].test(value)) throw refusedSignature();
  return value;
}

/** The published form has an address and a signature only; whatever names the request makes it the bound one. */
export function isBound(payload: JWTPayload): boolean {
  return ['method', 'path', 'issuedAt', 'nonce'].some((field) => payload[field] !== undefined);
}
