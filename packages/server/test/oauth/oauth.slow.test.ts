import { after, before, describe } from 'node:test';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { introspectionSuite } from './introspection.suite.ts';
import { metadataSuite } from './metadata.suite.ts';
import { oauth4webapiSuite } from './oauth4webapi.suite.ts';
import { olderClientsSuite } from './older-clients.suite.ts';
import { openidClientSuite } from './openid-client.suite.ts';
import { peopleSuite } from './people.suite.ts';
import { racesSuite } from './races.suite.ts';
import { redirectsSuite } from './redirects.suite.ts';
import { refusalsSuite } from './refusals.suite.ts';
import { secretsSuite } from './secrets.suite.ts';

// One server for all of them: starting one costs more than most of the tests.
describe('OAuth2 and OpenID Connect', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());
  const running = () => server;

  describe('openid-client', () => openidClientSuite(running));
  describe('oauth4webapi', () => oauth4webapiSuite(running));
  describe('older clients', () => olderClientsSuite(running));
  describe('introspection', () => introspectionSuite(running));
  describe('codes and refresh tokens', () => racesSuite(running));
  describe('redirects', () => redirectsSuite(running));
  describe('what applications are refused', () => refusalsSuite(running));
  describe('consent pages', () => peopleSuite(running));
  describe('server metadata', () => metadataSuite(running));
  describe('stored data', () => secretsSuite(running));
});
