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

descriptionSuite(volume(8, 10_000));
