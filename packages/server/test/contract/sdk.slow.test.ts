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
    'DELETE /communities/{communityId}/apps/{appId}':
      'its story sees that a second removal is refused, by the same route',
    'GET /qrcode/{data}': 'its story does not look into the picture',
    'GET /reddit/unlink-token': 'its story sees the effect by a helper that also asks Reddit',
    'GET /totp/{requestId}': 'its story does not look into the picture',
    'POST /hello-action/events': 'the sample keeps nothing of an event',
  },
});
