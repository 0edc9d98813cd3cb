// One process for all of them: the SDK's parsing of the description costs more than all these tests.
import { volume } from '@latchkey/test-kit';
import './sdk.suite.ts';
import './sdk-communities.suite.ts';
import './sdk-hosted-wallets.suite.ts';
import './sdk-mini-apps.suite.ts';
import './sdk-near.suite.ts';
import './sdk-oauth.suite.ts';
import './sdk-partners.suite.ts';
import './sdk-payments.suite.ts';
import './sdk-roles.suite.ts';
import './sdk-wallets.suite.ts';
import './examples.suite.ts';
import { descriptionSuite } from './sdk-description.suite.ts';
import { matrixSuite } from './sdk-matrix.suite.ts';

descriptionSuite(volume(8, 10_000));
matrixSuite({
  isWhole: process.env.LATCHKEY_TEST_TURN === undefined,
  notReal: {
    'DELETE /account/wallets': 'its story reads the effect by another route only after it',
    'DELETE /client-apps/{id}': 'its story does not read the application again',
    'DELETE /communities/{communityId}/apps/{appId}':
      'its story sees that a second removal is refused, by the same route',
    'DELETE /communities/{id}': 'its story reads the effect by another route only after it',
    'DELETE /communities/{id}/tpcs/{tpcId}': 'its story reads the effect by another route only after it',
    'DELETE /user-authorizations/{clientId}': 'its story reads the effect by another route only after it',
    'DELETE /webauthn/credentials/{id}': 'its story does not read the passkey again',
    'GET /qrcode/{data}': 'the SDK returns no body of a picture',
    'GET /reddit/unlink-token': 'its story sees the effect by a helper that also asks Reddit',
    'GET /totp/{requestId}': 'the SDK returns no body of a picture',
    'PATCH /communities/{id}': 'its story reads the effect by another route only after it',
    'PATCH /webauthn/credentials/{id}': 'its story reads the effect by another route only after it',
    'POST /hello-action/events': 'the sample keeps nothing of an event',
    'POST /oauth2/revoke': 'no read through the SDK needs the revoked token',
    'PUT /client-apps/{id}': 'its story does not read the application again',
    'PUT /communities/{id}': 'its story reads the effect by another route only after it',
    'PUT /communities/{id}/tpcs/{tpcId}': 'its story reads the effect by another route only after it',
  },
});
