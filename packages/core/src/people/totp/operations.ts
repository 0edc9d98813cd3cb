import { op, Png, resource, user } from '@latchkey/kernel';
import { generateTotpQrCode } from './enrol.ts';
import { enrolmentTtlSeconds, maxPendingEnrolments } from './enrolment.ts';
import { requestId } from './params.ts';

export const totp = resource('totp', 'Authenticator apps as a second factor.', [
  op(
    'GET /totp/{requestId}',
    {
      id: 'generateTotpQrCode',
      sdk: 'QRCodeController.generateTotpQrCode',
      summary: 'Enrol an authenticator app',
      description: `Returns a PNG of the QR code that sets up an authenticator app (RFC 6238) for the caller. The first call with an id starts an enrolment and later ones show the same picture, for ${enrolmentTtlSeconds / 60} minutes or until a code of the app was accepted, whichever is first; after that the picture is gone for good. Apps that are in use stay so. The first app is confirmed by its first right code, a further one with POST /latchkey/account/authenticators/{requestId}/confirm. Up to ${maxPendingEnrolments} enrolments can be open at a time.`,
      facts: { idsOfNobody: { requestId: 'The id is of the caller’s own choice, and counts for that caller only.' } },
      changes: true,
      access: user(),
      params: { requestId },
      returns: Png,
      errors: ['ENTITY_NOT_FOUND'],
    },
    generateTotpQrCode,
  ),
]);
