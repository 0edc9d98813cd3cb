import { after, before, describe } from 'node:test';
import { startTestServer, type TestServer } from '../../harness/test-server.ts';
import { clientDocumentsSuite } from '../client-documents.suite.ts';
import { registrationSuite } from '../registration.suite.ts';
import { basicOpSuite } from './basic-op.suite.ts';
import { configOpSuite } from './config-op.suite.ts';
import { fapi2Suite } from './fapi2.suite.ts';
import { logoutSuite } from './logout.suite.ts';
import { messageSigningSuite } from './message-signing.suite.ts';

// One server for all plans. Logout tokens and key sets are exchanged with clients on this machine.
describe('the modules of the OpenID Foundation’s conformance plans', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({
      LATCHKEY_ALLOW_PRIVATE_CALLBACKS: 'true',
      LATCHKEY_CLIENT_REGISTRATION: 'true',
      LATCHKEY_CLIENT_REGISTRATION_SCOPES: 'user:read',
    });
  });
  after(() => server.close());
  const running = () => server;

  describe('Config OP', () => configOpSuite(running));
  describe('Basic OP', () => basicOpSuite(running));
  describe('Form Post OP', () => basicOpSuite(running, 'form_post'));
  describe('logout', () => logoutSuite(running));
  describe('FAPI 2.0 Security Profile', () => fapi2Suite(running));
  describe('FAPI 2.0 Message Signing', () => messageSigningSuite(running));
  describe('registration', () => registrationSuite(running));
  describe('client id documents', () => clientDocumentsSuite(running));
});
