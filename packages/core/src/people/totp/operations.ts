import { op, Png, resource, T, user } from '@latchkey/kernel';
import { generateTotpQrCode } from './enrol.ts';
import { enrolmentTtlSeconds, maxPendingEnrolments } from './enrolment.ts';

export const totp = resource('totp', 'Authenticator apps as a second factor.', [
  op(
    'GET /totp/{requestId}',
    {
      id: 'generateTotpQrCode',
      sdk: 'QRCodeController.generateTotpQrCode',
      summary: 'Enrol an authenticator app',
      description: `Answers with a PNG of the QR code that sets up an authenticator app (RFC 6238) for the caller. The first call with an id starts an enrolment and later ones show the same picture, for ${enrolmentTtlSeconds / 60} minutes or until a code of the app was accepted, whichever is first; after that the picture is gone for good. An app that is in use stays so until the new one is confirmed. Up to ${maxPendingEnrolments} enrolments can be open at a time.`,
      facts: { idsOfNobody: { requestId: 'The id is of the caller’s own choice, and counts for that caller only.' } },
      access: user(),
      params: {
        requestId: T.String({
          description: 'An id of the caller’s choice for the enrolment: letters, digits, - and _.',
          minLength: 1,
          maxLength: 64,
          pattern: '^[A-Za-z0-9_-]{1,64}$',
        }),
      },
      returns: Png,
      errors: ['ENTITY_NOT_FOUND'],
    },
    generateTotpQrCode,
  ),
]);
