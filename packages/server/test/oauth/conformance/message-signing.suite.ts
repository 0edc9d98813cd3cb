import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createRemoteJWKSet, jwtVerify, UnsecuredJWT } from 'jose';
import type { TestServer } from '../../harness/test-server.ts';
import { FapiClient, type Key, newKey } from './fapi-client.ts';

const seconds = () => Math.floor(Date.now() / 1000);

/** The modules that the plan for FAPI 2.0 Message Signing adds: signed requests (JAR) and signed responses (JARM). */
export function messageSigningSuite(running: () => TestServer): void {
  let client: FapiClient;
  let [rsa, stranger]: Key[] = [];
  before(async () => {
    client = await FapiClient.register(running(), { signs: true });
    [rsa, stranger] = [await newKey('RS256'), await newKey()];
  });

  test('signed requests are answered with signed responses (JARM)', async () => {
    const pushed = await client.pushed({ response_mode: 'jwt' });
    const back = await client.authorize(pushed);
    assert.deepEqual([...back.searchParams.keys()], ['response']);
    const keys = createRemoteJWKSet(new URL(String(client.as.jwks_uri)));
    const { payload } = await jwtVerify(back.searchParams.get('response') ?? '', keys, {
      issuer: client.as.issuer,
      audience: client.id,
      algorithms: ['ES256'],
      requiredClaims: ['exp'],
    });
    assert.equal(payload.state, pushed.state);
    const { status, json } = await client.exchange(String(payload.code), pushed);
    assert.equal(status, 200);
    await client.verifyIdToken(json.id_token, pushed.nonce);
    const posted = await client.pushed({ response_mode: 'form_post.jwt' });
    const form = await client.authorize(posted);
    assert.ok((await jwtVerify(form.searchParams.get('response') ?? '', keys)).payload.code);
    const error = await client.authorize(await client.pushed({ response_mode: 'jwt', prompt: 'none', max_age: '0' }));
    const { payload: refused } = await jwtVerify(error.searchParams.get('response') ?? '', keys);
    assert.deepEqual([refused.error, refused.code], ['login_required', undefined]);
  });

  const accepts = (name: string, sentence: string, claims: () => Record<string, unknown>) =>
    test(`${name}: ${sentence}`, async () => {
      await client.pushed({}, { object: (parameters) => client.requestObject(parameters, claims()) });
    });
  accepts(
    'fapi2-security-profile-final-ensure-request-object-with-multiple-aud-succeeds',
    'this server may be one of several audiences',
    () => ({
      aud: ['https://other.example', client.as.issuer],
    }),
  );
  accepts(
    'fapi2-security-profile-final-ensure-request-object-with-nbf-8-seconds-in-the-future-is-accepted',
    'the clock of a client may be 8 seconds ahead',
    () => ({
      iat: seconds() + 8,
      nbf: seconds() + 8,
    }),
  );

  const refuses = (
    name: string,
    sentence: string,
    claims: () => Record<string, unknown>,
    key?: () => Key | undefined,
  ) =>
    test(`${name}: ${sentence}`, async () => {
      const { status, json } = await client.push(
        {},
        { object: (parameters) => client.requestObject(parameters, claims(), key?.()) },
      );
      assert.deepEqual([status, json.error], [400, 'invalid_request_object']);
    });
  refuses('fapi2-security-profile-final-ensure-request-object-without-exp-fails', 'a signed request needs exp', () => ({
    exp: undefined,
  }));
  refuses('fapi2-security-profile-final-ensure-request-object-without-nbf-fails', 'a signed request needs nbf', () => ({
    nbf: undefined,
  }));
  refuses('fapi2-security-profile-final-ensure-expired-request-object-fails', 'an expired request is refused', () => ({
    nbf: seconds() - 600,
    exp: seconds() - 300,
  }));
  refuses(
    'fapi2-security-profile-final-ensure-request-object-with-bad-aud-fails',
    'a request for another server is refused',
    () => ({
      aud: 'https://other.example',
    }),
  );
  refuses(
    'fapi2-security-profile-final-ensure-request-object-with-exp-over-60-fails',
    'a request that is valid for more than an hour is refused',
    () => ({
      exp: seconds() + 70 * 60,
    }),
  );
  refuses(
    'fapi2-security-profile-final-ensure-request-object-with-nbf-over-60-fails',
    'a request that was valid more than an hour ago is refused',
    () => ({
      nbf: seconds() - 70 * 60,
    }),
  );
  refuses(
    'fapi2-security-profile-final-ensure-signed-request-object-with-RS256-fails',
    'a request signed with RS256 is refused',
    () => ({}),
    () => rsa,
  );
  refuses(
    'fapi2-security-profile-final-ensure-request-object-with-invalid-signature-fails',
    'a request with a wrong signature is refused',
    () => ({}),
    () => ({
      ...(stranger as Key),
      jwk: { ...client.key.jwk },
    }),
  );
  refuses(
    'fapi2-security-profile-final-ensure-matching-key-in-authorization-request',
    'a request signed with a key of another application is refused',
    () => ({}),
    () => stranger,
  );

  test('fapi2-security-profile-final-ensure-request-object-signature-algorithm-is-not-none: an unsigned request is refused', async () => {
    const object = async (parameters: Record<string, unknown>) =>
      new UnsecuredJWT({ ...parameters, nbf: seconds() })
        .setIssuer(client.id)
        .setAudience(client.as.issuer)
        .setExpirationTime('5m')
        .encode();
    const { status, json } = await client.push({}, { object });
    assert.deepEqual([status, json.error], [400, 'invalid_request_object']);
  });

  test('fapi2-security-profile-final-ensure-unsigned-request-at-par-endpoint-fails: parameters without a signature are refused', async () => {
    const plain = await client.post(String(client.as.pushed_authorization_request_endpoint), {
      client_id: client.id,
      response_type: 'code',
      redirect_uri: client.redirectUri,
      scope: 'openid',
    });
    assert.equal(plain.status, 400);
    assert.ok(['invalid_request', 'invalid_request_object'].includes(plain.json.error), plain.json.error);
  });

  test('fapi2-security-profile-final-par-authorization-request-containing-request_uri: a signed request has no request_uri', async () => {
    const uri = 'urn:ietf:params:oauth:request_uri:x';
    const { status } = await client.push({}, { object: (all) => client.requestObject({ ...all, request_uri: uri }) });
    assert.equal(status, 400);
  });
}
