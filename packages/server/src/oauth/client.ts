import type { OauthClient, OauthSettings } from '@latchkey/core';
import { grantTypes, signingAlgs } from '@latchkey/core';
import type { AdapterPayload, Client } from 'oidc-provider';

/** The field of the provider's client record that contains ours. */
export const ownField = 'latchkey';

/**
 * Converts a client application to the provider's record. The secret is only a hash, which `isClientSecret` compares.
 */
export function toProviderClient(client: OauthClient): AdapterPayload {
  const { settings } = client;
  const isFapi2 = settings.security_profile === 'fapi2';
  const isUsable = client.redirectUris.length > 0;
  const allows = (grantType: string) => client.grantTypes.includes(grantType);
  const responseTypes = [
    ...(isUsable && allows('authorization_code') ? ['code'] : []),
    ...(isUsable && allows('implicit') ? ['id_token', 'token'] : []),
  ];
  return withOwn(client, {
    client_id: client.id,
    client_name: client.name,
    ...(client.secretHash !== undefined && { client_secret: client.secretHash }),
    application_type: 'web',
    token_endpoint_auth_method: client.isPublic
      ? 'none'
      : (settings.token_endpoint_auth_method ?? 'client_secret_basic'),
    grant_types: [...grantTypes.filter(allows), ...(allows('implicit') ? ['implicit'] : [])],
    response_types: asResponseTypes(isFapi2 ? responseTypes.filter((type) => type === 'code') : responseTypes),
    redirect_uris: [...client.redirectUris],
    post_logout_redirect_uris: [...(settings.post_logout_redirect_uris ?? [])],
    id_token_signed_response_alg: settings.id_token_signed_response_alg ?? signingAlgs[0],
    ...pick(settings, [
      'token_endpoint_auth_signing_alg',
      'jwks',
      'jwks_uri',
      'dpop_bound_access_tokens',
      'require_pushed_authorization_requests',
      'require_signed_request_object',
      'request_object_signing_alg',
    ]),
    authorization_signed_response_alg: settings.authorization_signed_response_alg ?? signingAlgs[0],
    ...(isFapi2 && { dpop_bound_access_tokens: true, require_pushed_authorization_requests: true }),
    ...(settings.backchannel_logout_uri !== undefined && {
      backchannel_logout_uri: settings.backchannel_logout_uri,
      backchannel_logout_session_required: settings.backchannel_logout_session_required ?? false,
    }),
  });
}

/** The fields that are set. Keys are checked when they are registered, so they have the library's shape. */
function pick(settings: OauthSettings, names: readonly (keyof OauthSettings)[]): AdapterPayload {
  const present = names.flatMap((name) => (settings[name] === undefined ? [] : [[name, settings[name]]]));
  return Object.fromEntries(present) as AdapterPayload;
}

/** Returns our own record of the client of a request. */
export function clientOf(client: Client): OauthClient {
  return (client as unknown as { [ownField]: OauthClient })[ownField];
}

/** Whether an application is held to the FAPI 2.0 Security Profile. */
export function isFapi2(client: Client): boolean {
  return clientOf(client).settings.security_profile === 'fapi2';
}

function withOwn(client: OauthClient, payload: AdapterPayload): AdapterPayload {
  return Object.assign(payload, { [ownField]: client });
}

// The provider's types lack the bare `token`, which is enabled for clients that were allowed it.
function asResponseTypes(types: readonly string[]): NonNullable<AdapterPayload['response_types']> {
  return types as NonNullable<AdapterPayload['response_types']>;
}
